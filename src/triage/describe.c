/* SPDX-License-Identifier: MIT */
/* See describe.h. */
#include "triage/describe.h"
#include "triage/names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct dh_phrase phrase(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
static struct dh_phrase phrase(const char *format, ...)
{
	struct dh_phrase p;
	va_list args;
	va_start(args, format);
	vsnprintf(p.text, sizeof p.text, format, args);
	va_end(args);
	return p;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static struct dh_phrase heap(const struct dh_finding_object *o)
{
	const struct dh_finding_frame *maker = dh_stack_allocator(o->allocated);
	struct dh_name name;
	const char *freed = o->freed ? "freed " : "";
	if (!maker)
		return phrase("%sheap block of %" PRIu64 " byte%s", freed, o->size,
			      plural(o->size));
	dh_name_frame(maker, &name);
	return phrase("%sheap block of %" PRIu64 " byte%s from %s", freed, o->size,
		      plural(o->size), name.text);
}

struct dh_phrase dh_describe_object(const struct dh_finding *f)
{
	const struct dh_finding_object *o = &f->object;
	const struct dh_finding_variable *v = &o->variable;
	if (o->label)
		return phrase("\"%s\"", o->label);
	switch (o->kind) {
	case DH_KIND_GLOBAL:
	case DH_KIND_VARIABLE:
		if (!v->part && o->offset)
			return phrase("%s+%" PRIu64, v->name, o->offset);
		return phrase("%s%s", v->name, v->part ? v->part : "");
	case DH_KIND_HEAP:
		return heap(o);
	case DH_KIND_STACK:
		return phrase("the stack of %s", dh_describe_thread(o->thread).text);
	default:
		return phrase("memory of which nothing is known");
	}
}

struct dh_phrase dh_describe_access(const struct dh_finding_access *a)
{
	static const char *const ops[] = {
	    [DH_OP_READ] = "read", [DH_OP_WRITE] = "write", [DH_OP_FREE] = "free"};
	const char *atomic = a->atomic ? "atomic " : "";
	if (a->op == DH_OP_FREE || !a->size)
		return phrase("%s%s", atomic, ops[a->op]);
	return phrase("%s%s of %" PRIu64 " byte%s", atomic, ops[a->op], a->size,
		      plural(a->size));
}

struct dh_phrase dh_describe_thread(const struct dh_finding_thread *t)
{
	if (!t)
		return phrase("a thread that is not known any more");
	bool number = t->id[0] >= '0' && t->id[0] <= '9';
	const char *word = number ? "thread " : "";
	if (t->main)
		return phrase("the main thread");
	if (t->name)
		return phrase("%s%s \"%s\"", word, t->id, t->name);
	return phrase("%s%s", word, t->id);
}

struct dh_phrase dh_describe_place(const struct dh_finding_frame *f)
{
	if (f->file && f->line && f->column)
		return phrase("%s:%" PRIu32 ":%" PRIu32, f->file, f->line, f->column);
	if (f->file && f->line)
		return phrase("%s:%" PRIu32, f->file, f->line);
	if (f->file)
		return phrase("%s", f->file);
	if (f->module)
		return phrase("%s+0x%" PRIx64, f->module, f->offset);
	return phrase("%s", "");
}

struct dh_phrase dh_describe_function(const struct dh_finding_access *a)
{
	uint32_t own = dh_stack_own(a->stack, 0);
	struct dh_name name;
	if (own >= a->stack->len || a->stack->at[own]->lost)
		return phrase("%s", "");
	const struct dh_finding_frame *f = a->stack->at[own];
	if (!f->function && f->file) /* of a trace: the line is all there is */
		return dh_describe_place(f);
	dh_name_frame(f, &name);
	return phrase("%s", name.text);
}

struct dh_phrase dh_describe_frame(const struct dh_finding_frame *f)
{
	if (f->lost)
		return phrase("the outer frames were lost");
	return f->function ? phrase("%s", f->function) : dh_describe_place(f);
}

const char *dh_describe_grade(enum dh_grade grade)
{
	switch (grade) {
	case DH_OBSERVED:
		return "Nothing ordered the two accesses in this run.";
	case DH_PREDICTED:
		return "There is a schedule of this program that has the race.";
	case DH_POTENTIAL:
		break;
	}
	return "No lock is common to both accesses; their order in this run was luck.";
}

static struct dh_phrase side(const struct dh_finding_access *a)
{
	static const char *const ops[] = {
	    [DH_OP_READ] = "read", [DH_OP_WRITE] = "write", [DH_OP_FREE] = "free"};
	struct dh_phrase in = dh_describe_function(a);
	const char *atomic = a->atomic ? "atomic " : "";
	if (!in.text[0])
		return phrase("%s%s", atomic, ops[a->op]);
	bool place = !a->stack->at[dh_stack_own(a->stack, 0)]->function;
	return phrase("%s%s %s %s", atomic, ops[a->op], place ? "at" : "in", in.text);
}

struct dh_phrase dh_describe_finding(const struct dh_finding *f)
{
	struct dh_phrase object = dh_describe_object(f), second = side(&f->second);
	if (!f->has_first)
		return phrase("%.200s: %.400s", object.text, second.text);
	return phrase("%.200s: %.200s, %.200s", object.text, side(&f->first).text,
		      second.text);
}
