/* SPDX-License-Identifier: MIT */
/*
 * Hands: a thread at a place in the program, as a number. There are far fewer of them
 * than blocks of the heap, so that a block can name who made it and who freed it in one
 * word with the rest of its facts (heap_facts.h). Numbers are used again, once the thread
 * has ended and no block names them; those of OpenMP's tasks, which are few, are not.
 *
 * Concurrency: any thread, `inside`; one lock inside, which is taken where the thread
 * does not have the number at hand, and when a thread ends. Allocates.
 */
#ifndef DH_RUNTIME_HEAP_HANDS_H
#define DH_RUNTIME_HEAP_HANDS_H

#include "runtime/thread.h"

enum { DH_HAND_BITS = 23, DH_HAND_MAX = (1 << DH_HAND_BITS) - 1 };

/* The number of the thread at this site. 0, which is nobody, where it has no state or
 * there are no numbers left (counted). */
uint32_t dh_heap_hand_look_up(struct dh_self *t, uint32_t site);

DH_INLINE uint32_t dh_heap_hand(struct dh_self *t, uint32_t site)
{
	if (DH_UNLIKELY(!t->state))
		return 0;
	const struct dh_hand_entry *e = &t->state->hands[site % DH_HANDS_AT_HAND];
	return DH_LIKELY(e->site == site && e->who == t->state->who && e->hand)
		   ? e->hand
		   : dh_heap_hand_look_up(t, site);
}

/* Whose hand it is, and where: right if the block that names it still does so after. */
void dh_heap_hand_get(uint32_t hand, uint32_t *site, uint32_t *thread);

uint64_t dh_heap_hands_lost(void);

/* Numbers that were ever in use at the same time, and then some. */
uint32_t dh_heap_hands_made(void);

#endif
