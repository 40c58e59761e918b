/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE -lm
// skip: dropin
/* Results through pointers, of the mathematical library. A program that was linked against
 * gcc's libtsan asks for these without a version, and gets the library's own. */
#include <math.h>
#include "threads.h"

static double sine, cosine;
static int quotient, sign;
static invisible_step_t step;
static volatile double x = 0.5;

static void one(void)
{
	sincos(x, &sine, &cosine);	// race: a
	x = remquo(x, 0.3, &quotient);	// race: a
	x = lgamma_r(x, &sign);		// race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	cosine = 1;	// race: b
	quotient = 1;	// race: b
	sign = 1;	// race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
