/* SPDX-License-Identifier: MIT */
/*
 * Accesses that repeat an earlier one on every way to them, with nothing in between that
 * synchronises or might: of the same bytes, or some of these, and no more than its kind.
 * They are of one time frame, so the earlier one stands for both (the first access of
 * each time frame is enough: MultiRace, section 3.3), and the runtime would find that out
 * at each of them.
 */
#ifndef DH_PASS_REPEATS_H
#define DH_PASS_REPEATS_H

#include "pass/cfg.h"

/* Removes their calls. How many. */
unsigned dh_repeats(const struct dh_cfg *g, struct ll_layout *layout);

#endif
