/* SPDX-License-Identifier: MIT */
/*
 * Random numbers for tests and benchmarks: splitmix64, whose whole state is one
 * word, so that a seed names a trace on every machine. Not for concurrent use.
 */
#ifndef DH_TESTS_RNG_H
#define DH_TESTS_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* A number below n, n > 0. */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)((rng_next(r) >> 32) * n >> 32);
}

/* A number from low to high, both included. */
static inline uint32_t rng_range(struct rng *r, uint32_t low, uint32_t high)
{
	return low + rng_below(r, high - low + 1);
}

static inline bool rng_percent(struct rng *r, uint32_t percent)
{
	return rng_below(r, 100) < percent;
}

#endif
