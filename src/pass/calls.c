/* SPDX-License-Identifier: MIT */
/* See calls.h. */
#include "pass/calls.h"
#include "runtime/leaf.h"
#include "runtime/loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *called(struct ll_value *v)
{
	size_t length;
	if (dh_ll.GetInstructionOpcode(v) != LL_CALL)
		return NULL;
	struct ll_value *function = dh_ll.GetCalledValue(v);
	return dh_ll.IsAFunction(function) ? dh_ll.GetValueName2(function, &length)
					   : NULL;
}

static bool begins(const char **text, const char *with)
{
	size_t n = strlen(with);
	if (strncmp(*text, with, n) != 0)
		return false;
	*text += n;
	return true;
}

/* What is left of a name: read4, write16. */
static struct dh_call access_of(const char *rest, enum dh_call_kind kind)
{
	struct dh_call c = {.kind = kind};
	c.write = begins(&rest, "read_write") || begins(&rest, "write");
	char *end;
	if (!c.write && !begins(&rest, "read"))
		return (struct dh_call){.kind = DH_CALL_NONE};
	unsigned long size = strtoul(rest, &end, 10);
	if (end == rest || *end || size > 16 || (size & (size - 1)))
		return (struct dh_call){.kind = DH_CALL_NONE};
	c.size = (unsigned)size;
	return c;
}

struct dh_call dh_call_of(struct ll_value *instruction)
{
	const char *name = called(instruction);
	if (name && begins(&name, "__tsan_")) {
		const bool loose = begins(&name, "unaligned_");
		struct dh_call c = access_of(name, DH_CALL_ACCESS);
		c.loose = loose;
		return c;
	}
	if (name && begins(&name, DH_LOOP_CALL))
		return access_of(name, begins(&name, DH_LOOP_NEST) ? DH_CALL_NEST
								   : DH_CALL_LOOP);
	return (struct dh_call){.kind = DH_CALL_NONE};
}

bool dh_is_for_debugger(struct ll_value *instruction)
{
	const char *name = called(instruction);
	return name && strncmp(name, "llvm.dbg.", 9) == 0;
}

/* Of LLVM's own functions those that are arithmetic, or nothing at all in the end. */
static bool is_quiet_name(const char *name)
{
	static const char *const quiet[] = {
	    "llvm.dbg.",       "llvm.returnaddress",
	    "llvm.lifetime.",  "llvm.assume",
	    "llvm.expect",     "llvm.umax.",
	    "llvm.umin.",      "llvm.smax.",
	    "llvm.smin.",      "llvm.abs.",
	    "llvm.fabs.",      "llvm.sqrt.",
	    "llvm.fma.",       "llvm.fmuladd.",
	    "llvm.floor.",     "llvm.ceil.",
	    "llvm.trunc.",     "llvm.rint.",
	    "llvm.round",      "llvm.nearbyint",
	    "llvm.lrint.",     "llvm.minnum.",
	    "llvm.maxnum",     "llvm.copysign.",
	    "llvm.ctpop.",     "llvm.ctlz.",
	    "llvm.cttz.",      "llvm.bswap.",
	    "llvm.bitreverse", "llvm.fshl.",
	    "llvm.fshr.",      "llvm.uadd.",
	    "llvm.sadd.",      "llvm.usub.",
	    "llvm.ssub.",      "llvm.umul.",
	    "llvm.smul.",      "llvm.vector.",
	    "llvm.is.",	       "llvm.experimental.noalias",
	    "llvm.prefetch",   "llvm.pow",
	    "llvm.exp",	       "llvm.log",
	    "llvm.sin.",       "llvm.cos."};
	for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
		if (strncmp(name, quiet[i], strlen(quiet[i])) == 0)
			return true;
	return false;
}

/* A function of numbers, and nothing else, of the C library's or the compiler's own:
 * their names are reserved, whoever may have them. */
static bool is_arithmetic(struct ll_value *call, const char *name)
{
	static const char *const known[] = {
	    "acos",  "acosh",  "asin",	   "asinh", "atan",	 "atan2", "atanh",
	    "cbrt",  "ceil",   "copysign", "cos",   "cosh",	 "erf",	  "erfc",
	    "exp",   "exp10",  "exp2",	   "expm1", "fabs",	 "fdim",  "floor",
	    "fma",   "fmax",   "fmin",	   "fmod",  "hypot",	 "ldexp", "log",
	    "log10", "log1p",  "log2",	   "logb",  "nearbyint", "pow",	  "remainder",
	    "rint",  "round",  "scalbn",   "sin",   "sinh",	 "sqrt",  "tan",
	    "tanh",  "tgamma", "trunc"};
	static const char *const parts[] = {"__muldc3", "__mulsc3", "__divdc3",
					    "__divsc3"};
	const size_t n = strlen(name);
	const int kind = dh_ll.GetTypeKind(dh_ll.TypeOf(call));
	if (dh_ll.GetFirstBasicBlock(dh_ll.GetCalledValue(call)))
		return false;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strcmp(name, parts[i]) == 0)
			return true;
	if (kind != LL_FLOAT && kind != LL_DOUBLE)
		return false;
	const size_t bare = kind == LL_FLOAT && n && name[n - 1] == 'f' ? n - 1 : n;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i]) == bare && strncmp(name, known[i], bare) == 0)
			return true;
	return false;
}

/* A call that is no call in the end, or of a function that is not watched. */
static bool tells_nothing(struct ll_value *call)
{
	const char *name = called(call);
	return name && (is_quiet_name(name) || is_arithmetic(call, name));
}

/* A call that tells of accesses. */
static bool tells(struct ll_value *call)
{
	const char *name = called(call);
	return name && (dh_call_of(call).kind != DH_CALL_NONE ||
			strncmp(name, "__tsan_mem", 10) == 0);
}

bool dh_is_quiet(struct ll_value *instruction)
{
	switch (dh_ll.GetInstructionOpcode(instruction)) {
	case LL_CALL:
		return tells(instruction) || tells_nothing(instruction);
	case LL_LOAD:
	case LL_STORE:
		return !dh_ll.GetOrdering(instruction) && !dh_ll.GetVolatile(instruction);
	case LL_INVOKE:
	case LL_CALLBR:
	case LL_INDIRECTBR:
	case LL_FENCE:
	case LL_RMW:
	case LL_CMPXCHG:
	case LL_ALLOCA:
	case LL_VAARG:
		return false;
	default:
		return true;
	}
}

/* ---- frames ---- */

static bool calls(struct ll_value *instruction, const char *name)
{
	const char *by = called(instruction);
	return by && strcmp(by, name) == 0;
}

bool dh_is_entry(struct ll_value *instruction)
{
	return calls(instruction, "__tsan_func_entry");
}

bool dh_is_exit(struct ll_value *instruction)
{
	return calls(instruction, "__tsan_func_exit");
}

bool dh_needs_frame(struct ll_value *instruction)
{
	const struct dh_call c = dh_call_of(instruction);
	switch (dh_ll.GetInstructionOpcode(instruction)) {
	case LL_CALL:
		if (c.kind == DH_CALL_ACCESS)
			return c.loose;
		return !dh_is_entry(instruction) && !dh_is_exit(instruction) &&
		       !tells_nothing(instruction);
	case LL_INVOKE:
	case LL_CALLBR:
		return true;
	default:
		return false;
	}
}

/* ---- calls of our own ---- */

static struct ll_value *declared(struct ll_module *module, const char *name,
				 struct ll_type *type, int linkage)
{
	struct ll_value *f = dh_ll.AddFunction(module, name, type);
	dh_ll.SetLinkage(f, linkage);
	return f;
}

/* if (runtime's function) runtime's function(...); as a jump, so that it is the caller's
 * place that the runtime is told. */
static void define(struct ll_context *context, struct ll_value *f, struct ll_value *real,
		   struct ll_type *type, unsigned arguments)
{
	struct ll_builder *b = dh_ll.CreateBuilderInContext(context);
	struct ll_block *entry = dh_ll.AppendBasicBlockInContext(context, f, "");
	struct ll_block *there = dh_ll.AppendBasicBlockInContext(context, f, "");
	struct ll_block *out = dh_ll.AppendBasicBlockInContext(context, f, "");
	struct ll_value *argument[DH_NEST_ARGUMENTS];
	struct ll_value *none = dh_ll.ConstPointerNull(dh_ll.TypeOf(real));
	for (unsigned i = 0; i < arguments; i++)
		argument[i] = dh_ll.GetParam(f, i);
	dh_ll.PositionBuilderAtEnd(b, entry);
	dh_ll.BuildCondBr(b, dh_ll.BuildICmp(b, LL_EQ, real, none, ""), out, there);
	dh_ll.PositionBuilderAtEnd(b, there);
	struct ll_value *call = dh_ll.BuildCall2(b, type, real, argument, arguments, "");
	dh_ll.SetTailCall(call, 1);
	dh_ll.BuildRetVoid(b);
	dh_ll.PositionBuilderAtEnd(b, out);
	dh_ll.BuildRetVoid(b);
	dh_ll.DisposeBuilder(b);
}

/* In each module that uses it, the same in all. */
static struct ll_value *in_each(struct ll_module *module, const char *name,
				struct ll_type *type)
{
	struct ll_value *f = declared(module, name, type, LL_LINKONCE_ODR);
	dh_ll.SetVisibility(f, LL_HIDDEN);
	dh_ll.SetComdat(f, dh_ll.GetOrInsertComdat(module, name));
	return f;
}

static void name_of(char name[64], const char *before, enum dh_telling what,
		    struct dh_call access)
{
	const char *kind = access.write ? "write" : "read";
	if (what == DH_TELL_PARTS)
		snprintf(name, 64, "%s" DH_LOOP_PARTS, before);
	else
		snprintf(name, 64, "%s%s%s%u", before,
			 what == DH_TELL_PART	? DH_LOOP_PART
			 : what == DH_TELL_NEST ? DH_LOOP_NEST
						: "",
			 kind, access.size);
}

struct ll_value *dh_telling_of(struct ll_context *context, struct ll_module *module,
			       enum dh_telling what, struct dh_call access,
			       struct ll_type **type)
{
	struct ll_type *i64 = dh_ll.IntTypeInContext(context, 64);
	struct ll_type *argument[] = {dh_ll.PointerTypeInContext(context, 0), i64, i64,
				      i64, i64};
	const unsigned arguments =
	    what == DH_TELL_NEST ? DH_NEST_ARGUMENTS : DH_LOOP_ARGUMENTS;
	char name[64], real[64];
	*type =
	    dh_ll.FunctionType(dh_ll.VoidTypeInContext(context), argument, arguments, 0);
	name_of(name, DH_LOOP_CALL, what, access);
	name_of(real, DH_LOOP_NAME, what, access);
	struct ll_value *f = dh_ll.GetNamedFunction(module, name);
	if (f)
		return f;
	f = in_each(module, name, *type);
	define(context, f, declared(module, real, *type, LL_EXTERN_WEAK), *type,
	       arguments);
	return f;
}

/* ---- with the caller ---- */

struct body {
	struct ll_module *module;
	struct ll_builder *builder;
	struct ll_type *result, *argument[2];
};

static struct ll_value *call(const struct body *b, const char *name,
			     struct ll_value **argument, unsigned arguments)
{
	struct ll_type *type =
	    dh_ll.FunctionType(b->result, (struct ll_type **)b->argument, arguments, 0);
	struct ll_value *f = dh_ll.GetNamedFunction(b->module, name);
	if (!f)
		f = dh_ll.AddFunction(b->module, name, type);
	return dh_ll.BuildCall2(b->builder, type, f, argument, arguments, "");
}

static struct ll_value *own_caller(const struct body *b, struct ll_context *context)
{
	struct ll_type *i32 = dh_ll.IntTypeInContext(context, 32);
	struct body from = {b->module, b->builder, b->argument[0], {i32}};
	struct ll_value *level = dh_ll.ConstInt(i32, 0, 0);
	return call(&from, "llvm.returnaddress", &level, 1);
}

/* As the runtime's function for it says (runtime/leaf.h), by any runtime. */
static void define_leaf(struct ll_context *context, const struct body *b,
			struct ll_value *f, const char *access)
{
	struct ll_value *caller = dh_ll.GetParam(f, 1);
	dh_ll.PositionBuilderAtEnd(b->builder,
				   dh_ll.AppendBasicBlockInContext(context, f, ""));
	struct ll_value *argument[] = {dh_ll.GetParam(f, 0), own_caller(b, context)};
	call(b, "__tsan_func_entry", &caller, 1);
	call(b, access, argument, 2);
	call(b, "__tsan_func_exit", NULL, 0);
	dh_ll.BuildRetVoid(b->builder);
}

struct ll_value *dh_leaf_of(struct ll_context *context, struct ll_module *module,
			    struct dh_call access, struct ll_type **type)
{
	struct ll_type *pointer = dh_ll.PointerTypeInContext(context, 0);
	struct body b = {
	    module, NULL, dh_ll.VoidTypeInContext(context), {pointer, pointer}};
	const char *kind = access.write ? "write" : "read";
	char name[64], real[64];
	snprintf(name, sizeof name, DH_LEAF_CALL "%s%u", kind, access.size);
	snprintf(real, sizeof real, "__tsan_%s%u_pc", kind, access.size);
	*type = dh_ll.FunctionType(b.result, b.argument, 2, 0);
	struct ll_value *f = dh_ll.GetNamedFunction(module, name);
	if (f)
		return f;
	f = in_each(module, name, *type);
	b.builder = dh_ll.CreateBuilderInContext(context);
	define_leaf(context, &b, f, real);
	dh_ll.DisposeBuilder(b.builder);
	return f;
}
