/* SPDX-License-Identifier: MIT */
/*
 * How often a loop goes round, where that is known before it begins: it has one way out,
 * behind everything else of a round, which depends on a counter and on what does not
 * change.
 */
#ifndef DH_PASS_TRIPS_H
#define DH_PASS_TRIPS_H

#include "pass/affine.h"

bool dh_trips_known(const struct dh_rounds *r);

/* The number of rounds, at least 1, as a number of 64 bits that is built before the loop.
 * It is known. NULL: too much to build. */
struct ll_value *dh_trips_build(struct dh_rounds *r, struct ll_type *i64);

#endif
