/* SPDX-License-Identifier: MIT */
/*
 * Waiting a moment for a lock that somebody holds, before the C library is asked for it,
 * which would have the thread sleep at once. Under detection a lock is held several times
 * as long as the program would hold it, so that threads meet at it that never did;
 * putting one of them to sleep and waking it costs more than what is done under most
 * locks.
 *
 * Nothing depends on it: whether and when the lock is had is the C library's business,
 * and this only looks at the word that says whether it is held.
 *
 * Context: any thread, about to lock. Neither allocates nor blocks.
 */
#ifndef DH_RUNTIME_INTERCEPT_LINGER_H
#define DH_RUNTIME_INTERCEPT_LINGER_H

#include "base/base.h"

/* The lock is held: waits until none of the bits of its word is set any more, but not for
 * long, and not where that was of no use lately. */
void dh_linger_slow(const void *word, uint32_t bits);

/* word: 32 bits of the lock, some of which are set while it cannot be had. */
DH_INLINE void dh_linger(const void *word, uint32_t bits)
{
	if (DH_UNLIKELY(__atomic_load_n((const uint32_t *)word, __ATOMIC_RELAXED) & bits))
		dh_linger_slow(word, bits);
}

#endif
