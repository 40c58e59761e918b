/* SPDX-License-Identifier: MIT */
/*
 * See trips.h. The loop goes on while a comparison of x, which grows by the same in each
 * round, with a bound that does not change comes out in a certain way; x has its first
 * value at the end of the first round. So the number of rounds is one more than how often
 * x can grow until it does not any more.
 *
 * Sums wrap around. Where x has to meet its bound that is no matter, since what is asked
 * for is the solution of x + n * by = bound in numbers that do so. Else x may pass its
 * bound by: it begins anew below, and goes on. It never ends then where it grows by a power
 * of two, having been at all that it can meet; by others it may end in the second turn or a
 * later one. So these are left alone unless x is known not to wrap around, or a turn would
 * take millions of rounds.
 */
#include "pass/trips.h"

#include <stdlib.h>

/* While x PREDICATE bound. */
struct condition {
	int predicate;
	struct ll_value *x, *bound;
	struct dh_step step; /* of x */
};

static int opposite(int predicate)
{
	static const int of[] = {
	    [LL_EQ - LL_EQ] = LL_NE,   [LL_NE - LL_EQ] = LL_EQ,
	    [LL_UGT - LL_EQ] = LL_ULE, [LL_UGE - LL_EQ] = LL_ULT,
	    [LL_ULT - LL_EQ] = LL_UGE, [LL_ULE - LL_EQ] = LL_UGT,
	    [LL_SGT - LL_EQ] = LL_SLE, [LL_SGE - LL_EQ] = LL_SLT,
	    [LL_SLT - LL_EQ] = LL_SGE, [LL_SLE - LL_EQ] = LL_SGT,
	};
	return of[predicate - LL_EQ];
}

/* With its two sides exchanged. */
static int turned(int predicate)
{
	static const int of[] = {
	    [LL_EQ - LL_EQ] = LL_EQ,   [LL_NE - LL_EQ] = LL_NE,
	    [LL_UGT - LL_EQ] = LL_ULT, [LL_UGE - LL_EQ] = LL_ULE,
	    [LL_ULT - LL_EQ] = LL_UGT, [LL_ULE - LL_EQ] = LL_UGE,
	    [LL_SGT - LL_EQ] = LL_SLT, [LL_SGE - LL_EQ] = LL_SLE,
	    [LL_SLT - LL_EQ] = LL_SGT, [LL_SLE - LL_EQ] = LL_SGE,
	};
	return of[predicate - LL_EQ];
}

/* Is it one in which x comes to an end by growing so? */
static bool ends(int predicate, int64_t by)
{
	switch (predicate) {
	case LL_NE:
		return by != 0;
	case LL_ULT:
	case LL_ULE:
	case LL_SLT:
	case LL_SLE:
		return by > 0;
	case LL_UGT:
	case LL_UGE:
	case LL_SGT:
	case LL_SGE:
		return by < 0;
	default:
		return false;
	}
}

/* Has a number as many bits as x, or x as many as an address? */
static bool is_width_of(struct ll_value *number, struct ll_value *x)
{
	struct ll_type *t = dh_ll.TypeOf(x);
	return dh_ll.GetTypeKind(t) == LL_INTEGER && dh_ll.TypeOf(number) == t;
}

/* In 64 bits or fewer, or of addresses. */
static bool can_count(struct ll_value *v)
{
	struct ll_type *t = dh_ll.TypeOf(v);
	int kind = dh_ll.GetTypeKind(t);
	return kind == LL_POINTER ||
	       (kind == LL_INTEGER && dh_ll.GetIntTypeWidth(t) <= 64 &&
		dh_ll.GetIntTypeWidth(t) > 1);
}

static unsigned width_of(struct ll_value *v)
{
	struct ll_type *t = dh_ll.TypeOf(v);
	return dh_ll.GetTypeKind(t) == LL_POINTER ? 64 : dh_ll.GetIntTypeWidth(t);
}

/* What it is to add it to a number of so many bits. */
static int64_t in_bits(int64_t by, unsigned width)
{
	const unsigned rest = 64 - width;
	return (int64_t)((uint64_t)by << rest) >> rest;
}

/* Does x not pass its bound by? By powers of two it would go on for ever. Of 64 bits it has none
 * that are near their end. */
static bool stops(const struct dh_rounds *r, const struct condition *c)
{
	enum { LONG = 64, LONG_STEP = 40 };
	const uint64_t by = (uint64_t)llabs(c->step.by);
	const bool known = !c->step.times &&
			   (c->predicate == LL_NE || (by & (by - 1)) == 0 ||
			    (width_of(c->x) == LONG && by <= (uint64_t)1 << LONG_STEP));
	return known || dh_stays_within(r, c->x, c->predicate >= LL_SGT);
}

static bool try(const struct dh_rounds *r, struct condition *c, int predicate,
		struct ll_value *x, struct ll_value *bound)
{
	if (!can_count(x) || !dh_is_fixed(r, bound))
		return false;
	*c = (struct condition){predicate, x, bound, dh_step_of(r, x)};
	struct dh_step *s = &c->step;
	if (!s->known)
		return false;
	s->by = in_bits(s->by, width_of(x));
	return s->by != INT64_MIN &&
	       (s->times ? s->by > 0 && is_width_of(s->times, x) && predicate != LL_NE &&
			       ends(predicate, 1)
			 : ends(predicate, s->by)) &&
	       stops(r, c);
}

static bool read_condition(const struct dh_rounds *r, struct condition *c)
{
	if (r->loop->exit == DH_NO_BLOCK || r->loop->before == DH_NO_BLOCK)
		return false;
	struct ll_value *end = dh_ll.GetBasicBlockTerminator(r->g->block[r->loop->exit]);
	if (dh_ll.GetInstructionOpcode(end) != LL_BR || !dh_ll.IsConditional(end))
		return false;
	struct ll_value *compare = dh_ll.GetCondition(end);
	if (!dh_ll.IsAInstruction(compare) ||
	    dh_ll.GetInstructionOpcode(compare) != LL_ICMP)
		return false;
	int predicate = dh_ll.GetICmpPredicate(compare);
	if (predicate < LL_EQ || predicate > LL_SLE)
		return false;
	if (dh_cfg_number(r->g, dh_ll.GetSuccessor(end, 0)) != r->loop->header)
		predicate = opposite(predicate);
	struct ll_value *a = dh_ll.GetOperand(compare, 0);
	struct ll_value *b = dh_ll.GetOperand(compare, 1);
	return try(r, c, predicate, a, b) || try(r, c, turned(predicate), b, a);
}

bool dh_trips_known(const struct dh_rounds *r)
{
	struct condition c;
	return read_condition(r, &c);
}

static struct ll_value *as_number(struct dh_rounds *r, struct ll_value *v,
				  struct ll_type *i64)
{
	if (dh_ll.GetTypeKind(dh_ll.TypeOf(v)) != LL_POINTER)
		return v;
	return dh_ll.BuildPtrToInt(r->builder, v, i64, "");
}

/* By how much x grows, as a number of its type that is more than 0. Where what it grows
 * by is not known to be, *grows becomes whether it is; a loop in which it is not, and
 * that ends, goes round once. */
static struct ll_value *build_way(struct ll_builder *b, const struct condition *c,
				  struct ll_type *type, struct ll_value **grows)
{
	struct ll_value *by =
	    dh_ll.ConstInt(type, (unsigned long long)llabs(c->step.by), 0);
	if (!c->step.times)
		return by;
	by = dh_ll.BuildMul(b, c->step.times, by, "");
	*grows = dh_ll.BuildICmp(b, LL_SGT, by, dh_ll.ConstInt(type, 0, 0), "");
	return dh_ll.BuildSelect(b, *grows, by, dh_ll.ConstInt(type, 1, 0), "");
}

/* The number that makes one with it, in numbers of 64 bits; of an odd one. */
static uint64_t inverse(uint64_t odd)
{
	uint64_t is = odd; /* right in three bits, then in twice as many each time */
	for (int bits = 3; bits < 64; bits *= 2)
		is *= 2 - odd * is;
	return is;
}

/* How often `by` makes up the way, where it does so after all turns that it takes. */
static struct ll_value *until_met(struct ll_builder *b, struct ll_value *way, uint64_t by)
{
	struct ll_type *type = dh_ll.TypeOf(way);
	const unsigned rest = 64 - dh_ll.GetIntTypeWidth(type);
	const uint64_t even = by & -by, odd = by / even;
	const uint64_t times = inverse(odd) << rest >> rest;
	if (odd > 1)
		way = dh_ll.BuildMul(b, way, dh_ll.ConstInt(type, times, 0), "");
	return dh_ll.BuildUDiv(b, way, dh_ll.ConstInt(type, even, 0), "");
}

/* How often x grows before the loop ends, of numbers of its type. */
static struct ll_value *build_growths(struct ll_builder *b, const struct condition *c,
				      struct ll_value *x, struct ll_value *bound)
{
	struct ll_type *type = dh_ll.TypeOf(x);
	struct ll_value *zero = dh_ll.ConstInt(type, 0, 0),
			*one = dh_ll.ConstInt(type, 1, 0);
	struct ll_value *grows = NULL, *by = build_way(b, c, type, &grows);
	struct ll_value *way = c->step.by > 0 ? dh_ll.BuildSub(b, bound, x, "")
					      : dh_ll.BuildSub(b, x, bound, "");
	if (c->predicate == LL_NE)
		return until_met(b, way, (uint64_t)llabs(c->step.by));
	bool equal = c->predicate == LL_ULE || c->predicate == LL_SLE ||
		     c->predicate == LL_UGE || c->predicate == LL_SGE;
	if (!equal) /* the way is at least one: up to the last value before */
		way = dh_ll.BuildSub(b, way, one, "");
	struct ll_value *n = dh_ll.BuildAdd(b, dh_ll.BuildUDiv(b, way, by, ""), one, "");
	n = dh_ll.BuildSelect(b, dh_ll.BuildICmp(b, c->predicate, x, bound, ""), n, zero,
			      "");
	return grows ? dh_ll.BuildSelect(b, grows, n, zero, "") : n;
}

struct ll_value *dh_trips_build(struct dh_rounds *r, struct ll_type *i64)
{
	struct condition c;
	struct ll_value *x, *bound, *n;
	if (!read_condition(r, &c) || !(x = dh_first_of(r, c.x)) ||
	    !(bound = dh_first_of(r, c.bound)))
		return NULL;
	n = build_growths(r->builder, &c, as_number(r, x, i64), as_number(r, bound, i64));
	if (dh_ll.GetIntTypeWidth(dh_ll.TypeOf(n)) < 64)
		n = dh_ll.BuildZExt(r->builder, n, i64, "");
	return dh_ll.BuildAdd(r->builder, n, dh_ll.ConstInt(i64, 1, 0), "");
}
