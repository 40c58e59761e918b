/* SPDX-License-Identifier: MIT */
/*
 * Values that grow by the same amount in each round of a loop, addresses above all: by
 * how much, and what they are in the first round.
 */
#ifndef DH_PASS_AFFINE_H
#define DH_PASS_AFFINE_H

#include "pass/cfg.h"

/* A loop that is being looked at, with a block before it. What is built goes to the end
 * of that block. */
struct dh_rounds {
	const struct dh_cfg *g;
	const struct dh_loop *loop;
	struct ll_layout *layout;
	struct ll_builder *builder;
	struct ll_value *count; /* how often it goes round; NULL: not built yet */
	/* Values of the loop that were built before it already. */
	struct {
		struct ll_value *of, *is;
	} first[64];
	unsigned firsts;
};

/* What is added in each round: `times` that value, which does not change in the loop;
 * NULL stands for 1. Of a pointer in bytes. */
struct dh_step {
	bool known;
	int64_t by;
	struct ll_value *times;
};

struct dh_step dh_step_of(const struct dh_rounds *r, struct ll_value *v);

/* Does it stay within its width in all rounds, as a number with a sign or without? */
bool dh_stays_within(const struct dh_rounds *r, struct ll_value *v, bool is_signed);

/* Does it not change in the loop? */
bool dh_is_fixed(const struct dh_rounds *r, struct ll_value *v);

/* The value in the first round, before the loop. Its step is known. NULL: too much to
 * build; what was built so far is of no use and does no harm. */
struct ll_value *dh_first_of(struct dh_rounds *r, struct ll_value *v);

#endif
