/* SPDX-License-Identifier: MIT */
/*
 * Atomic operations on sixteen bytes, done by the processor and not by a lock of some
 * library, so that they mix with what uninstrumented code does to the same memory. The
 * address is a multiple of 16.
 */
#ifndef DH_RUNTIME_WIDE_H
#define DH_RUNTIME_WIDE_H

#include "base/base.h"

__extension__ typedef unsigned __int128 dh_wide;

#if defined(__x86_64__)

#include <cpuid.h>

/* Writes v if *a is *expected; else *expected becomes what it is. */
DH_INLINE bool dh_wide_compare_exchange(volatile dh_wide *a, dh_wide *expected, dh_wide v)
{
	bool done;
	uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(done), "+m"(*a), "+a"(low), "+d"(high)
			 : "b"((uint64_t)v), "c"((uint64_t)(v >> 64))
			 : "memory");
	*expected = (dh_wide)high << 64 | low;
	return done;
}

/* Processors with AVX, and only those promise it, load and store aligned vectors of
 * sixteen bytes in one piece. */
static inline bool dh_wide_has_vectors(void)
{
	static int known; /* atomic: 0 not asked yet, 1 no, 2 yes */
	int k = __atomic_load_n(&known, __ATOMIC_RELAXED);
	if (DH_UNLIKELY(!k)) {
		unsigned a, b, c = 0, d;
		k = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_AVX) ? 2 : 1;
		__atomic_store_n(&known, k, __ATOMIC_RELAXED);
	}
	return k == 2;
}

/* Without AVX the memory has to be writable: zero takes the place of zero. */
DH_INLINE dh_wide dh_wide_load(const volatile dh_wide *a)
{
	dh_wide value = 0;
	if (DH_LIKELY(dh_wide_has_vectors())) {
		typedef long long vector __attribute__((vector_size(16)));
		vector loaded;
		__asm__ volatile("movdqa %1, %0" : "=x"(loaded) : "m"(*a) : "memory");
		__builtin_memcpy(&value, &loaded, sizeof value);
	} else {
		dh_wide_compare_exchange((volatile dh_wide *)a, &value, 0);
	}
	return value;
}

#else

DH_INLINE bool dh_wide_compare_exchange(volatile dh_wide *a, dh_wide *expected, dh_wide v)
{
	return __atomic_compare_exchange_n(a, expected, v, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

DH_INLINE dh_wide dh_wide_load(const volatile dh_wide *a)
{
	return __atomic_load_n(a, __ATOMIC_SEQ_CST);
}

#endif

#endif
