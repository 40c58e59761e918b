/* SPDX-License-Identifier: MIT */
/*
 * See trips.h. The loop goes on while a comparison of x, which grows by the same in each
 * round, with a bound that does not change comes out in a certain way; x has its first
 * value at the end of the first round. So the number of rounds is one more than how often
 * x can grow until it does not any more.
 *
 * A sum that wraps around is left out of account: where such a loop ends at all, fewer
 * rounds are told of than there are, never more.
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

static bool try(const struct dh_rounds *r, struct condition *c, int predicate,
		struct ll_value *x, struct ll_value *bound)
{
	if (!can_count(x) || !dh_is_fixed(r, bound))
		return false;
	*c = (struct condition){predicate, x, bound, dh_step_of(r, x)};
	const struct dh_step *s = &c->step;
	if (!s->known || s->by == INT64_MIN)
		return false;
	return s->times ? s->by > 0 && is_width_of(s->times, x) && predicate != LL_NE &&
			      ends(predicate, 1)
			: ends(predicate, s->by);
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
		return dh_ll.BuildUDiv(b, way, by, "");
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
