/* SPDX-License-Identifier: MIT */
/*
 * libgomp: what orders iterations of a loop, `ordered` without and with dependences. The
 * calls for the latter do not say how many loops are collapsed into the numbers that they
 * are given: the start of the loop does, which each thread of the team calls.
 */
#include <stdarg.h>
#include "base/base.h"
#include "runtime/abi.h"
#include "runtime/intercept/gomp.h"
#include "runtime/intercept/real.h"

enum { MOST_COUNTS = 8 };

static __thread unsigned counts_now __attribute__((tls_model("initial-exec")));

DH_REAL_WANT(GOMP_ordered_start);
DH_EXPORT void GOMP_ordered_start(void)
{
	DH_REAL(GOMP_ordered_start)();
	dh_omp_ordered_begin();
}

DH_REAL_WANT(GOMP_ordered_end);
DH_EXPORT void GOMP_ordered_end(void)
{
	dh_omp_ordered_end();
	DH_REAL(GOMP_ordered_end)();
}

/* ---- the start ---- */

#define START(name, type)                                                                \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT bool name(unsigned counts, type *each, type chunk, type *start,        \
			    type *end)                                                   \
	{                                                                                \
		counts_now = counts;                                                     \
		return DH_REAL(name)(counts, each, chunk, start, end);                   \
	}
#define START_BY_ENVIRONMENT(name, type)                                                 \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT bool name(unsigned counts, type *each, type *start, type *end)         \
	{                                                                                \
		counts_now = counts;                                                     \
		return DH_REAL(name)(counts, each, start, end);                          \
	}
#define START_OF_ANY_KIND(name, type)                                                    \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT bool name(unsigned counts, type *each, long schedule, type chunk,      \
			    type *start, type *end, uintptr_t *reductions,               \
			    void **memory)                                               \
	{                                                                                \
		counts_now = counts;                                                     \
		return DH_REAL(name)(counts, each, schedule, chunk, start, end,          \
				     reductions, memory);                                \
	}
START(GOMP_loop_doacross_static_start, long)
START(GOMP_loop_doacross_dynamic_start, long)
START(GOMP_loop_doacross_guided_start, long)
START(GOMP_loop_ull_doacross_static_start, unsigned long long)
START(GOMP_loop_ull_doacross_dynamic_start, unsigned long long)
START(GOMP_loop_ull_doacross_guided_start, unsigned long long)
START_BY_ENVIRONMENT(GOMP_loop_doacross_runtime_start, long)
START_BY_ENVIRONMENT(GOMP_loop_ull_doacross_runtime_start, unsigned long long)
START_OF_ANY_KIND(GOMP_loop_doacross_start, long)
START_OF_ANY_KIND(GOMP_loop_ull_doacross_start, unsigned long long)

/* ---- iterations ---- */

/* More than these loops are told apart by the first ones. */
static unsigned counts_used(void)
{
	return DH_MIN(counts_now, (unsigned)MOST_COUNTS);
}

#define POST(name, type)                                                                 \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT void name(type *at)                                                    \
	{                                                                                \
		uint64_t numbers[MOST_COUNTS];                                           \
		unsigned n = counts_used();                                              \
		for (unsigned i = 0; i < n; i++)                                         \
			numbers[i] = (uint64_t)at[i];                                    \
		dh_omp_doacross_post(numbers, n);                                        \
		DH_REAL(name)(at);                                                       \
	}
POST(GOMP_doacross_post, long)
POST(GOMP_doacross_ull_post, unsigned long long)

/* The real function takes as many as it wants of those that it is given. */
#define WAIT(name, type)                                                                 \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT void name(type first, ...)                                             \
	{                                                                                \
		uint64_t numbers[MOST_COUNTS] = {0};                                     \
		unsigned n = counts_used();                                              \
		va_list more;                                                            \
		type v[MOST_COUNTS] = {first};                                           \
		va_start(more, first);                                                   \
		for (unsigned i = 1; i < n; i++)                                         \
			v[i] = va_arg(more, type);                                       \
		va_end(more);                                                            \
		DH_REAL(name)(first, v[1], v[2], v[3], v[4], v[5], v[6], v[7]);          \
		for (unsigned i = 0; i < n; i++)                                         \
			numbers[i] = (uint64_t)v[i];                                     \
		dh_omp_doacross_wait(numbers, n);                                        \
	}
WAIT(GOMP_doacross_wait, long)
WAIT(GOMP_doacross_ull_wait, unsigned long long)
