/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE -lm
// output: 0.479 0.878 2 1
/* Results through pointers, of the mathematical library, each thread's own. */
#include <math.h>
#include <stdio.h>
#include "threads.h"

static struct result {
	volatile double x;
	double sine, cosine;
	int quotient, sign;
} results[2] = {{.x = 0.5}, {.x = 0.5}};

static void get(struct result *r)
{
	sincos(r->x, &r->sine, &r->cosine);
	remquo(r->x, 0.3, &r->quotient);
	lgamma_r(r->x, &r->sign);
}

static void one(void)
{
	get(&results[0]);
}

static void two(void)
{
	get(&results[1]);
}

int main(void)
{
	run_threads(2, one, two);
	printf("%.3f %.3f %d %d\n", results[1].sine, results[0].cosine, results[1].quotient,
	       results[0].sign);
	return 0;
}
