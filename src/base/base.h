/* SPDX-License-Identifier: MIT */
/*
 * The smallest common ground: assertions, branch hints, byte helpers.
 * Included by everything. Allocates nothing, takes no lock, may be used from a
 * signal handler.
 *
 * Three levels of assertion:
 *   DH_CHECK(c)      always on: a broken invariant of ours ends the process
 *                    with its name. For what is cheap or unforgivable.
 *   DH_ASSERT(c)     debug builds only (DH_DEBUG).
 *   DH_EXPENSIVE(c)  debug builds that ask for it (DH_DEBUG > 1); for the
 *                    dh_x_validate() walkers.
 */
#ifndef DH_BASE_BASE_H
#define DH_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DH_LIKELY(c)   __builtin_expect(!!(c), 1)
#define DH_UNLIKELY(c) __builtin_expect(!!(c), 0)
#define DH_INLINE      static inline __attribute__((always_inline))
#define DH_NOINLINE    __attribute__((noinline))
#define DH_COLD        __attribute__((noinline, cold))
#define DH_UNUSED      __attribute__((unused))

#define DH_MIN(a, b) ((a) < (b) ? (a) : (b))
#define DH_MAX(a, b) ((a) > (b) ? (a) : (b))
#define DH_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define DH_CACHE_LINE 64

/* Ends the process after naming the broken invariant on stderr. Never returns. */
_Noreturn void dh_check_failed(const char *file, int line, const char *what);

#define DH_CHECK(c)                                                                      \
	do {                                                                             \
		if (DH_UNLIKELY(!(c)))                                                   \
			dh_check_failed(__FILE__, __LINE__, #c);                         \
	} while (0)

#ifndef DH_DEBUG
#define DH_DEBUG 0
#endif
#if DH_DEBUG > 0
#define DH_ASSERT(c) DH_CHECK(c)
#else
#define DH_ASSERT(c) ((void)sizeof(c))
#endif
#if DH_DEBUG > 1
#define DH_EXPENSIVE(c) DH_CHECK(c)
#else
#define DH_EXPENSIVE(c) ((void)sizeof(c))
#endif

/* The runtime interposes memcpy and friends, and compilers emit calls of them: inside
 * the runtime library (DH_RUNTIME) the names mean its own functions (runtime/bytes.h),
 * but in the files that define the interposed ones (DH_DEFINES_BYTES). */
#if defined(DH_RUNTIME) && !defined(DH_DEFINES_BYTES)
__asm__("memcpy = dh_bytes_copy\n\t"
	"memmove = dh_bytes_move\n\t"
	"memset = dh_bytes_fill\n\t"
	"memcmp = dh_bytes_compare\n\t"
	"bcmp = dh_bytes_compare\n\t"
	"strlen = dh_bytes_length");
#endif

/* Byte helpers. */
DH_INLINE void dh_copy(void *to, const void *from, size_t n)
{
	__builtin_memcpy(to, from, n);
}

DH_INLINE void dh_zero(void *to, size_t n)
{
	__builtin_memset(to, 0, n);
}

DH_INLINE bool dh_same(const void *a, const void *b, size_t n)
{
	return __builtin_memcmp(a, b, n) == 0;
}

/* A good 64-bit mixer (a bijection), for hash tables keyed by integers. */
DH_INLINE uint64_t dh_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	x ^= x >> 32;
	return x;
}

/* Smallest power of two >= x, for 1 <= x <= 2^63. */
DH_INLINE uint64_t dh_pow2(uint64_t x)
{
	return x <= 1 ? 1 : 1ull << (64 - __builtin_clzll(x - 1));
}

#endif
