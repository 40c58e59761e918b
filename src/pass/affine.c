/* SPDX-License-Identifier: MIT */
/*
 * See affine.h. The counter of a loop is a phi of its header to which the same is added
 * in each round; sums with, multiples of and addresses made of such are what is looked
 * for. Other values count as long as nothing that they are made of changes in the loop,
 * and are built anew before it. All that is built is also done in the first round, or the
 * way to it: what is asked for here is always that of an instruction which each round
 * comes to.
 */
#include "pass/affine.h"

enum { DEEPEST = 12 };

static const struct dh_step UNKNOWN = {false, 0, NULL};
static const struct dh_step FIXED = {true, 0, NULL};

static struct dh_step step_at(const struct dh_rounds *r, struct ll_value *v, int depth);

/* ---- what is outside of the loop ---- */

static bool is_outside(const struct dh_rounds *r, struct ll_value *v)
{
	if (!dh_ll.IsAInstruction(v))
		return true;
	int b = dh_cfg_number(r->g, dh_ll.GetInstructionParent(v));
	return b != DH_NO_BLOCK && !r->loop->has[b];
}

static bool is_number(struct ll_value *v, int64_t *is)
{
	if (!dh_ll.IsAConstantInt(v) || dh_ll.GetIntTypeWidth(dh_ll.TypeOf(v)) > 64)
		return false;
	*is = dh_ll.ConstIntGetSExtValue(v);
	return true;
}

static unsigned width_of(struct ll_value *v)
{
	struct ll_type *t = dh_ll.TypeOf(v);
	return dh_ll.GetTypeKind(t) == LL_INTEGER ? dh_ll.GetIntTypeWidth(t) : 0;
}

/* ---- arithmetic of steps ---- */

static struct dh_step sum(struct dh_step a, struct dh_step b, int64_t sign)
{
	struct dh_step s = UNKNOWN;
	if (!a.known || !b.known)
		return UNKNOWN;
	if (!b.by)
		return a;
	if (a.by && a.times != b.times)
		return UNKNOWN;
	s.times = b.times;
	s.known = !__builtin_mul_overflow(b.by, sign, &s.by) &&
		  !__builtin_add_overflow(a.by, s.by, &s.by);
	return s.by ? s : (struct dh_step){s.known, 0, NULL};
}

static struct dh_step scaled(struct dh_step s, int64_t by)
{
	s.known = s.known && !__builtin_mul_overflow(s.by, by, &s.by);
	return s.by ? s : (struct dh_step){s.known, 0, NULL};
}

/* A value that does not change times one that may. */
static struct dh_step product(const struct dh_rounds *r, struct ll_value *fixed,
			      struct dh_step s)
{
	int64_t by;
	if (!s.known || !s.by)
		return s;
	if (is_number(fixed, &by))
		return scaled(s, by);
	if (s.times || width_of(fixed) != 64 || !is_outside(r, fixed))
		return UNKNOWN;
	s.times = fixed;
	return s;
}

/* ---- values ---- */

/* What the next round begins with, of a counter. */
static struct ll_value *next_of(const struct dh_rounds *r, struct ll_value *phi)
{
	for (unsigned i = 0; i < dh_ll.CountIncoming(phi); i++)
		if (dh_cfg_number(r->g, dh_ll.GetIncomingBlock(phi, i)) == r->loop->latch)
			return dh_ll.GetIncomingValue(phi, i);
	return NULL;
}

static struct ll_value *begin_of(const struct dh_rounds *r, struct ll_value *phi)
{
	for (unsigned i = 0; i < dh_ll.CountIncoming(phi); i++)
		if (dh_cfg_number(r->g, dh_ll.GetIncomingBlock(phi, i)) ==
		    r->loop->before)
			return dh_ll.GetIncomingValue(phi, i);
	return NULL;
}

static bool is_counter_of(const struct dh_rounds *r, struct ll_value *v)
{
	return dh_cfg_number(r->g, dh_ll.GetInstructionParent(v)) == r->loop->header &&
	       r->loop->latch != DH_NO_BLOCK;
}

/* The size of what the first index of an address counts. */
static int64_t unit_of(const struct dh_rounds *r, struct ll_value *gep)
{
	return (int64_t)dh_ll.ABISizeOfType(r->layout,
					    dh_ll.GetGEPSourceElementType(gep));
}

/* A phi: what is added to it before the next round. */
static struct dh_step step_of_counter(const struct dh_rounds *r, struct ll_value *phi)
{
	struct ll_value *next, *other;
	int64_t by;
	if (!is_counter_of(r, phi) || !(next = next_of(r, phi)) ||
	    !dh_ll.IsAInstruction(next))
		return UNKNOWN;
	int opcode = dh_ll.GetInstructionOpcode(next);
	int64_t unit = 1;
	if (opcode == LL_ADD) {
		bool second = dh_ll.GetOperand(next, 1) == phi;
		if (!second && dh_ll.GetOperand(next, 0) != phi)
			return UNKNOWN;
		other = dh_ll.GetOperand(next, second ? 0 : 1);
	} else if (opcode == LL_GEP && dh_ll.GetNumOperands(next) == 2 &&
		   dh_ll.GetOperand(next, 0) == phi) {
		other = dh_ll.GetOperand(next, 1);
		unit = unit_of(r, next);
	} else {
		return UNKNOWN;
	}
	if (is_number(other, &by))
		return scaled((struct dh_step){true, by, NULL}, unit);
	if (width_of(other) == 64 && is_outside(r, other))
		return (struct dh_step){true, unit, other};
	return UNKNOWN;
}

/* Does it stay within its width in all rounds, so that it may be widened before or after
 * the sum? */
static bool stays_within(const struct dh_rounds *r, struct ll_value *v, bool is_signed,
			 int depth)
{
	int (*flag)(struct ll_value *) = is_signed ? dh_ll.GetNSW : dh_ll.GetNUW;
	if (is_outside(r, v))
		return true;
	if (depth > DEEPEST || !flag)
		return false;
	struct ll_value *next;
	switch (dh_ll.GetInstructionOpcode(v)) {
	case LL_PHI:
		return is_counter_of(r, v) && (next = next_of(r, v)) &&
		       dh_ll.IsAInstruction(next) &&
		       dh_ll.GetInstructionOpcode(next) == LL_ADD && flag(next);
	case LL_ADD:
	case LL_SUB:
	case LL_MUL:
	case LL_SHL:
		return flag(v) &&
		       stays_within(r, dh_ll.GetOperand(v, 0), is_signed, depth + 1) &&
		       stays_within(r, dh_ll.GetOperand(v, 1), is_signed, depth + 1);
	case LL_ZEXT:
		return stays_within(r, dh_ll.GetOperand(v, 0), false, depth + 1);
	case LL_SEXT:
		return is_signed &&
		       stays_within(r, dh_ll.GetOperand(v, 0), true, depth + 1);
	default:
		return false;
	}
}

static struct dh_step step_widened(const struct dh_rounds *r, struct ll_value *v,
				   bool is_signed, int depth)
{
	struct ll_value *narrow = dh_ll.GetOperand(v, 0);
	struct dh_step s = step_at(r, narrow, depth);
	return s.known && s.by && !stays_within(r, narrow, is_signed, 0) ? UNKNOWN : s;
}

/* An index of an address is as one that is widened with its sign. */
static struct dh_step step_of_index(const struct dh_rounds *r, struct ll_value *index,
				    int64_t unit, int depth)
{
	struct dh_step s = step_at(r, index, depth);
	if (s.known && s.by && width_of(index) != 64 && !stays_within(r, index, true, 0))
		return UNKNOWN;
	return scaled(s, unit);
}

static struct dh_step step_of_address(const struct dh_rounds *r, struct ll_value *gep,
				      int depth)
{
	struct dh_step s = step_at(r, dh_ll.GetOperand(gep, 0), depth);
	struct ll_type *t = dh_ll.GetGEPSourceElementType(gep);
	if (dh_ll.GetTypeKind(dh_ll.TypeOf(gep)) != LL_POINTER)
		return UNKNOWN;
	for (unsigned i = 1; s.known && i < (unsigned)dh_ll.GetNumOperands(gep); i++) {
		struct ll_value *index = dh_ll.GetOperand(gep, i);
		int64_t number;
		if (i > 1) {
			int kind = dh_ll.GetTypeKind(t);
			if (kind == LL_STRUCT && is_number(index, &number)) {
				t = dh_ll.StructGetTypeAtIndex(t, (unsigned)number);
				continue;
			}
			if (kind != LL_ARRAY)
				return UNKNOWN;
			t = dh_ll.GetElementType(t);
		}
		int64_t unit = (int64_t)dh_ll.ABISizeOfType(r->layout, t);
		s = sum(s, step_of_index(r, index, unit, depth), 1);
	}
	return s;
}

/* Of what is not known to grow: does nothing that it is made of change? */
static struct dh_step step_if_fixed(const struct dh_rounds *r, struct ll_value *v,
				    int depth)
{
	for (unsigned i = 0; i < (unsigned)dh_ll.GetNumOperands(v); i++) {
		struct dh_step s = step_at(r, dh_ll.GetOperand(v, i), depth);
		if (!s.known || s.by)
			return UNKNOWN;
	}
	return FIXED;
}

static struct dh_step step_at(const struct dh_rounds *r, struct ll_value *v, int depth)
{
	int64_t by;
	if (is_outside(r, v))
		return FIXED;
	if (depth++ > DEEPEST)
		return UNKNOWN;
	int opcode = dh_ll.GetInstructionOpcode(v);
	if (opcode == LL_PHI)
		return step_of_counter(r, v);
	if (opcode == LL_GEP)
		return step_of_address(r, v, depth);
	if (opcode == LL_ZEXT || opcode == LL_SEXT)
		return step_widened(r, v, opcode == LL_SEXT, depth);
	struct ll_value *a = dh_ll.GetNumOperands(v) == 2 ? dh_ll.GetOperand(v, 0) : NULL;
	struct ll_value *b = a ? dh_ll.GetOperand(v, 1) : NULL;
	switch (opcode) {
	case LL_OR:
		if (!dh_ll.GetIsDisjoint || !dh_ll.GetIsDisjoint(v))
			return step_if_fixed(r, v, depth);
		__attribute__((fallthrough));
	case LL_ADD:
		return sum(step_at(r, a, depth), step_at(r, b, depth), 1);
	case LL_SUB:
		return sum(step_at(r, a, depth), step_at(r, b, depth), -1);
	case LL_MUL:
		return is_outside(r, b)	  ? product(r, b, step_at(r, a, depth))
		       : is_outside(r, a) ? product(r, a, step_at(r, b, depth))
					  : step_if_fixed(r, v, depth);
	case LL_SHL:
		return is_number(b, &by) && by >= 0 && by < 62
			   ? scaled(step_at(r, a, depth), (int64_t)1 << by)
			   : step_if_fixed(r, v, depth);
	case LL_UDIV:
	case LL_SDIV:
	case LL_UREM:
	case LL_SREM:
	case LL_LSHR:
	case LL_ASHR:
	case LL_AND:
	case LL_XOR:
	case LL_TRUNC:
	case LL_PTRTOINT:
	case LL_ICMP:
	case LL_SELECT:
		return step_if_fixed(r, v, depth);
	default:
		return UNKNOWN;
	}
}

bool dh_stays_within(const struct dh_rounds *r, struct ll_value *v, bool is_signed)
{
	return stays_within(r, v, is_signed, 0);
}

struct dh_step dh_step_of(const struct dh_rounds *r, struct ll_value *v)
{
	return step_at(r, v, 0);
}

bool dh_is_fixed(const struct dh_rounds *r, struct ll_value *v)
{
	struct dh_step s = step_at(r, v, 0);
	return s.known && !s.by;
}

/* ---- the first round ---- */

static struct ll_value *copied(struct dh_rounds *r, struct ll_value *v)
{
	struct ll_value *made[8];
	unsigned n = (unsigned)dh_ll.GetNumOperands(v);
	if (n > sizeof made / sizeof *made)
		return NULL;
	for (unsigned i = 0; i < n; i++)
		if (!(made[i] = dh_first_of(r, dh_ll.GetOperand(v, i))))
			return NULL;
	struct ll_value *copy = dh_ll.InstructionClone(v);
	for (unsigned i = 0; i < n; i++)
		dh_ll.SetOperand(copy, i, made[i]);
	dh_ll.InsertIntoBuilder(r->builder, copy);
	return copy;
}

struct ll_value *dh_first_of(struct dh_rounds *r, struct ll_value *v)
{
	if (is_outside(r, v))
		return v;
	for (unsigned i = 0; i < r->firsts; i++)
		if (r->first[i].of == v)
			return r->first[i].is;
	struct ll_value *is =
	    dh_ll.GetInstructionOpcode(v) == LL_PHI ? begin_of(r, v) : copied(r, v);
	if (is && r->firsts < sizeof r->first / sizeof *r->first) {
		r->first[r->firsts].of = v;
		r->first[r->firsts++].is = is;
	}
	return is;
}
