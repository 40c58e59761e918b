/* SPDX-License-Identifier: MIT */
/*
 * Accesses of loops, told at once before the loop. Where nothing in a loop synchronises,
 * all its accesses are of one time frame, so when they are told in it is no matter; and
 * where it is known before how often the loop goes round, and by how much the address of
 * an access grows, one call tells all of them:
 *
 *	for (i = 0; i < n; i++) {		__deadheat_loop_read8(a, n, 8);
 *		__tsan_read8(&a[i]);		for (i = 0; i < n; i++)
 *		sum += a[i];				sum += a[i];
 *	}
 *
 * and what is accessed in each round is told once. What is told is the same as before, at
 * the same place of the source. Not touched are accesses that a round may pass by, loops
 * with another way out, and those with calls of functions, atomic or volatile accesses in
 * them.
 */
#ifndef DH_PASS_HOIST_H
#define DH_PASS_HOIST_H

#include "pass/cfg.h"

/* One function, whose loops have blocks of their own before and behind them, and phis
 * there for what is used behind ("loop-simplify", "lcssa"). The number of calls that were
 * moved. There may be more blocks afterwards than g knows. */
unsigned dh_hoist(struct ll_context *context, struct ll_module *module,
		  const struct dh_cfg *g);

#endif
