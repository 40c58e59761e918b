/* SPDX-License-Identifier: MIT */
/*
 * Random numbers that are the same in every run, for tests that compare with a
 * naive model; and the headers that cmocka wants before its own.
 */
#ifndef DH_TESTS_DICE_H
#define DH_TESTS_DICE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/base.h"

struct dice {
	uint64_t state;
};

/* A number below n (> 0). */
static inline uint32_t dice_roll(struct dice *d, uint32_t n)
{
	d->state += 0x9e3779b97f4a7c15ull;
	return (uint32_t)((dh_mix(d->state) >> 32) * n >> 32);
}

/* True in `percent` of 100 cases. */
static inline bool dice_chance(struct dice *d, uint32_t percent)
{
	return dice_roll(d, 100) < percent;
}

#endif
