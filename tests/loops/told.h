/* SPDX-License-Identifier: MIT */
/*
 * What the programs of random.t are made of: functions with loops, over memory that is all
 * in one arena. Nothing in an element's type says where it may be or what else is there.
 */
#ifndef TESTS_LOOPS_TOLD_H
#define TESTS_LOOPS_TOLD_H

#include <stdint.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, unused))
#define ANY	 __attribute__((may_alias))
#define ANYWHERE __attribute__((may_alias, aligned(1)))

typedef int8_t ANY c1;
typedef uint8_t ANY b1;
typedef int16_t ANY c2;
typedef int32_t ANY c4;
typedef uint32_t ANY b4;
typedef int64_t ANY c8;
typedef float ANY f4;
typedef double ANY f8;
typedef int16_t ANYWHERE u2;
typedef int32_t ANYWHERE u4;
typedef int64_t ANYWHERE u8;
typedef long long v16 __attribute__((vector_size(16), may_alias));
typedef long long w16 __attribute__((vector_size(16), may_alias, aligned(1)));

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
