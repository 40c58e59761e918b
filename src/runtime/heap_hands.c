/* SPDX-License-Identifier: MIT */
/*
 * See heap_hands.h. A thread's hands are a list. When it ends they cannot get into a
 * block's facts any more, other than those that name them already: so a look at all
 * facts tells which of them are still needed. That is done when there are many of them
 * compared with the blocks, so that each costs no more than a few looks.
 */
#include "runtime/heap_hands.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/stable.h"
#include "runtime/heap_facts.h"

enum {
	SWEEP_LEAST = 1024,  /* hands of ended threads that may always be, */
	BLOCKS_PER_HAND = 16 /* and one for so many blocks */
};

struct hand {
	uint32_t site, thread; /* atomic */
	uint32_t next;	       /* in a list; under lock */
};

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_TABLES);
static struct dh_map numbers;  /* under lock: site and thread -> number; living threads */
static struct dh_stable hands; /* struct hand, by number; written before that is known */
static uint32_t made;	       /* under lock: the last number; then lists: */
static uint32_t unused;
static uint32_t ended, ended_count; /* whose thread has ended */
static uint32_t sweep_at = SWEEP_LEAST;
static uint64_t lost; /* atomic */

static struct hand *hand_of(uint32_t number)
{
	return dh_stable_get(&hands, number, sizeof(struct hand));
}

static uint64_t key_of(uint32_t site, uint32_t thread)
{
	return (uint64_t)thread << 32 | (site + 1);
}

/* ---- giving back ---- */

static void mark(uint64_t *named, uint32_t number)
{
	named[number / 64] |= (uint64_t)1 << number % 64;
}

/* Marks what facts name; returns how many blocks there are. */
static uint64_t mark_named(uint64_t *named)
{
	uint64_t blocks = 0;
	const struct dh_slab *s = __atomic_load_n(&dh_slab_newest, __ATOMIC_ACQUIRE);
	for (; s; s = s->older) {
		for (uint32_t i = 0; i < s->blocks; i++) {
			uint64_t facts = dh_facts_get(s, i);
			mark(named, dh_facts_made_by(facts));
			mark(named, dh_facts_freed_by(facts));
		}
		blocks += s->blocks;
	}
	return blocks;
}

static void sweep(void)
{
	size_t bytes = ((size_t)made / 64 + 1) * sizeof(uint64_t);
	uint64_t *named = dh_mem_alloc(bytes), blocks = mark_named(named);
	uint32_t number = ended;
	ended = ended_count = 0;
	for (uint32_t next; number; number = next) {
		struct hand *h = hand_of(number);
		bool stays = named[number / 64] >> number % 64 & 1;
		uint32_t *to = stays ? &ended : &unused;
		next = h->next;
		h->next = *to;
		*to = number;
		ended_count += stays;
	}
	dh_mem_free(named, bytes);
	sweep_at = (uint32_t)DH_MAX(DH_MAX(2 * ended_count, (uint32_t)SWEEP_LEAST),
				    blocks / BLOCKS_PER_HAND);
}

static void end_hands(struct dh_self *t)
{
	dh_lock(&lock);
	for (uint32_t number = t->state->own_hands, next; number; number = next) {
		struct hand *h = hand_of(number);
		dh_map_remove(&numbers, key_of(h->site, h->thread));
		next = h->next;
		h->next = ended;
		ended = number;
		ended_count++;
	}
	t->state->own_hands = 0;
	if (ended_count >= sweep_at)
		sweep();
	dh_unlock(&lock);
}

/* ---- taking ---- */

/* 0 where there is none left. */
static uint32_t take_number(void)
{
	uint32_t number = unused;
	if (number)
		unused = hand_of(number)->next;
	else if (made < DH_HAND_MAX)
		number = ++made;
	return number;
}

/* Tasks go by a name that several threads may have. */
static bool is_own(const struct dh_thread_state *s)
{
	return s->who == s->info->id && s->info->kind == DH_THREAD;
}

static uint32_t hand_new(struct dh_thread_state *s, uint32_t site)
{
	uint32_t number = take_number();
	if (!number)
		return 0;
	struct hand *h = dh_stable_make(&hands, number, sizeof *h);
	__atomic_store_n(&h->site, site, __ATOMIC_RELAXED);
	__atomic_store_n(&h->thread, s->who, __ATOMIC_RELAXED);
	h->next = 0;
	if (is_own(s)) {
		h->next = s->own_hands;
		s->own_hands = number;
		dh_thread_end_hands = end_hands;
	}
	return number;
}

DH_NOINLINE uint32_t dh_heap_hand_look_up(struct dh_self *t, uint32_t site)
{
	struct dh_thread_state *s = t->state;
	dh_lock(&lock);
	uint64_t *place = dh_map_put(&numbers, key_of(site, s->who), NULL);
	if (!*place)
		*place = hand_new(s, site);
	uint32_t hand = (uint32_t)*place;
	if (!hand)
		dh_map_remove(&numbers, key_of(site, s->who));
	dh_unlock(&lock);
	if (!hand)
		__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
	s->hands[site % DH_HANDS_AT_HAND] = (struct dh_hand_entry){site, s->who, hand};
	return hand;
}

void dh_heap_hand_get(uint32_t hand, uint32_t *site, uint32_t *thread)
{
	const struct hand *h = hand ? hand_of(hand) : NULL;
	*site = h ? __atomic_load_n(&h->site, __ATOMIC_RELAXED) : 0;
	*thread = h ? __atomic_load_n(&h->thread, __ATOMIC_RELAXED) : 0;
}

uint64_t dh_heap_hands_lost(void)
{
	return __atomic_load_n(&lost, __ATOMIC_RELAXED);
}

uint32_t dh_heap_hands_made(void)
{
	dh_lock(&lock);
	uint32_t count = made;
	dh_unlock(&lock);
	return count;
}
