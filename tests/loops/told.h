/* SPDX-License-Identifier: MIT */
/*
 * What the programs of random.t are made of: functions with loops, over memory that is all
 * in one arena. Nothing in an element's type says where it may be or what else is there.
 */
#ifndef TESTS_LOOPS_TOLD_H
#define TESTS_LOOPS_TOLD_H

#include "types.h"

#include <string.h>

#define NOINLINE __attribute__((noinline, unused))

struct ANY mixed {
	int32_t x;
	int16_t y;
	int8_t z;
	int64_t w;
};
struct ANY packed {
	int8_t z;
	int32_t x;
	int16_t y;
	int64_t w;
} __attribute__((packed));
struct ANY three {
	int32_t x, y, w;
};
struct ANY large {
	int64_t w;
	int32_t many[5];
	int16_t y;
	int8_t z;
	int32_t x;
};

enum {
	ARENA = 1 << 21,   /* bytes */
	FIRST = ARENA / 2, /* where functions begin, */
	OTHER = 1 << 18,   /* and so much behind that, for the second time */
};

/* a and b point into the arena. */
typedef unsigned long loop_fn(char *a, char *b, long n, long m, long s);

/* One call of a function. */
struct job {
	const char *name;
	loop_fn *function;
	long n, m, s;
	int apart; /* from a to b */
};
extern const struct job jobs[];
extern const int jobs_count;

/* Not instrumented: threads wait for each other. */
void take(void *lock);
void give(void *lock);

/* Values that are no numbers have bits of their own choice: never two of them at once. */
static inline unsigned long bits4(float f)
{
	unsigned int n;
	memcpy(&n, &f, sizeof n);
	return n;
}

static inline unsigned long bits8(double f)
{
	unsigned long n;
	memcpy(&n, &f, sizeof n);
	return n;
}

#endif
