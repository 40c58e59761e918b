/* SPDX-License-Identifier: MIT */
/* See heap_hands.h. */
#include "runtime/heap_hands.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/stable.h"

struct hand {
	uint32_t site, thread;
};

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_TABLES);
static struct dh_map numbers;  /* under lock: site and thread -> number */
static struct dh_stable hands; /* struct hand, by number; written before that is known */
static uint64_t lost;	       /* atomic */

static uint32_t number_of(struct hand h)
{
	bool fresh;
	uint32_t number = 0;
	dh_lock(&lock);
	uint64_t *place =
	    dh_map_put(&numbers, (uint64_t)h.thread << 32 | (h.site + 1), &fresh);
	if (fresh && numbers.len <= DH_HAND_MAX) {
		*place = numbers.len;
		*(struct hand *)dh_stable_make(&hands, (uint32_t)*place, sizeof h) = h;
	}
	number = (uint32_t)*place;
	dh_unlock(&lock);
	return number;
}

DH_NOINLINE uint32_t dh_heap_hand_look_up(struct dh_self *t, uint32_t site)
{
	uint32_t who = t->state->who, hand = number_of((struct hand){site, who});
	if (!hand)
		__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
	t->state->hands[site % DH_HANDS_AT_HAND] =
	    (struct dh_hand_entry){site, who, hand};
	return hand;
}

void dh_heap_hand_get(uint32_t hand, uint32_t *site, uint32_t *thread)
{
	const struct hand *h = hand ? dh_stable_get(&hands, hand, sizeof *h) : NULL;
	*site = h ? h->site : 0;
	*thread = h ? h->thread : 0;
}

uint64_t dh_heap_hands_lost(void)
{
	return __atomic_load_n(&lost, __ATOMIC_RELAXED);
}
