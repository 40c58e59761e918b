/* SPDX-License-Identifier: MIT */
/*
 * A mutex of one word: spins a little, then sleeps in the kernel. For our own
 * tables only; it is never held while code of the watched program runs, so the
 * program cannot deadlock with it. Zero-initialised is unlocked. Not reentrant;
 * a signal handler must not take a lock that the thread it interrupted holds.
 */
#ifndef DH_BASE_LOCK_H
#define DH_BASE_LOCK_H

#include "base/base.h"

struct dh_lock {
	uint32_t word; /* 0 free, 1 held, 2 held and someone sleeps */
};

/* The contended ends of the two below. */
void dh_lock_slow(struct dh_lock *l);
void dh_unlock_slow(struct dh_lock *l);

DH_INLINE void dh_lock(struct dh_lock *l)
{
	uint32_t free = 0;
	if (DH_UNLIKELY(!__atomic_compare_exchange_n(&l->word, &free, 1, false,
						     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)))
		dh_lock_slow(l);
}

DH_INLINE void dh_unlock(struct dh_lock *l)
{
	if (DH_UNLIKELY(__atomic_exchange_n(&l->word, 0, __ATOMIC_RELEASE) == 2))
		dh_unlock_slow(l);
}

#endif
