/* SPDX-License-Identifier: MIT */
/*
 * Real threads on the heap at once, in several generations, so that caches change hands.
 * Blocks are given out, resized, handed to other threads and freed there, while others
 * look up addresses. The oracle is in the blocks themselves: each is filled with a
 * pattern of its own from end to end, which must be whole when it is freed, whoever does
 * it; and what dh_heap_find() tells of a block must be what its holder knows.
 */
#include "runtime/heap.h"
#include "runtime/race.h"
#include "runtime/sync.h"
#include "runtime/thread.h"
#include "../unit/dice.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 6, GENERATIONS = 4, KEPT = 64, STEPS = 20000, PLACES = 16 };

struct block {
	uint8_t *at;
	size_t size;
	uint8_t fill;
};

/* Blocks on their way to another thread. */
static struct place {
	pthread_mutex_t lock;
	struct block b;
} places[PLACES];

static unsigned wrongs; /* atomic */

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
	__atomic_fetch_add(&wrongs, 1, __ATOMIC_RELAXED);
}

static void expect(bool so, const char *what)
{
	if (!so && __atomic_fetch_add(&wrongs, 1, __ATOMIC_RELAXED) == 0)
		printf("# %s\n", what);
}

static size_t some_size(struct dice *d)
{
	uint32_t kind = dice_roll(d, 200);
	return kind == 0  ? dice_roll(d, 700000)
	       : kind < 8 ? dice_roll(d, 40000)
			  : dice_roll(d, 600);
}

static void fill(struct dice *d, struct block *b)
{
	b->fill = (uint8_t)dice_roll(d, 256);
	memset(b->at, b->fill, b->size);
}

static void check(struct dice *d, const struct block *b)
{
	struct dh_heap_block found;
	size_t n = b->size;
	expect(!n || (b->at[0] == b->fill && !memcmp(b->at, b->at + 1, n - 1)),
	       "a block has lost its bytes");
	expect(dh_heap_size(b->at) == n, "a block has another size");
	if (n)
		expect(
		    dh_heap_find((uintptr_t)b->at + dice_roll(d, (uint32_t)n), &found) &&
			found.base == (uintptr_t)b->at && found.size == n && !found.freed,
		    "a block is not found by an address in it");
}

static void take(struct dice *d, struct block *b)
{
	bool zero = dice_roll(d, 4) == 0;
	size_t align = (size_t)16 << (dice_roll(d, 4) ? 0 : dice_roll(d, 8));
	b->size = some_size(d);
	b->at = zero ? dh_heap_alloc_zero(b->size, 0) : dh_heap_alloc(b->size, align, 0);
	if (!b->at)
		abort();
	expect((uintptr_t)b->at % (zero ? 16 : align) == 0, "a block is not aligned");
	for (size_t i = 0; zero && i < b->size; i++)
		expect(!b->at[i], "a block is not zero");
	fill(d, b);
}

static void resize(struct dice *d, struct block *b)
{
	size_t size = some_size(d);
	b->at = dh_heap_resize(b->at, size, 0);
	if (!b->at)
		abort();
	struct block kept = {b->at, DH_MIN(b->size, size), b->fill};
	for (size_t i = 0; i < kept.size; i++)
		expect(kept.at[i] == kept.fill, "a resized block has lost bytes");
	b->size = size;
	fill(d, b);
}

static void give(struct dice *d, struct block *b)
{
	check(d, b);
	dh_heap_free(b->at, 0);
	b->at = NULL;
}

/* Swaps the block with what is in a place, in an order that the runtime sees. */
static void hand_over(struct dice *d, struct block *b)
{
	struct dh_self *t = dh_thread_self();
	struct place *p = &places[dice_roll(d, PLACES)];
	pthread_mutex_lock(&p->lock);
	dh_sync_acquire(t, (uintptr_t)p);
	struct block other = p->b;
	p->b = *b;
	*b = other;
	dh_sync_release(t, (uintptr_t)p);
	pthread_mutex_unlock(&p->lock);
}

static void step(struct dice *d, struct block *b)
{
	if (!b->at) {
		take(d, b);
		return;
	}
	switch (dice_roll(d, 6)) {
	case 0:
		resize(d, b);
		break;
	case 1:
		hand_over(d, b);
		break;
	case 2:
		check(d, b);
		break;
	default:
		give(d, b);
	}
}

struct start {
	struct dh_thread_info *info;
	uint64_t seed;
};

static void *run(void *arg)
{
	struct start *s = arg;
	struct block kept[KEPT] = {{0}};
	struct dice d = {s->seed};
	dh_thread_attach(s->info);
	for (int i = 0; i < STEPS; i++)
		step(&d, &kept[dice_roll(&d, KEPT)]);
	for (int i = 0; i < KEPT; i++)
		if (kept[i].at)
			give(&d, &kept[i]);
	dh_heap_thread_end();
	dh_thread_detach_self();
	return NULL;
}

static void run_generation(uint64_t seed)
{
	pthread_t handles[THREADS];
	struct start starts[THREADS];
	for (unsigned i = 0; i < THREADS; i++) {
		starts[i] = (struct start){dh_thread_create(0), seed * THREADS + i + 1};
		if (pthread_create(&handles[i], NULL, run, &starts[i]))
			abort();
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(handles[i], NULL);
		dh_thread_joined(starts[i].info);
	}
}

int main(void)
{
	struct dh_heap_stats before, after;
	struct dice d = {99};
	for (int i = 0; i < PLACES; i++)
		pthread_mutex_init(&places[i].lock, NULL);
	dh_threads_init();
	run_generation(0);
	dh_heap_get_stats(&before);
	for (unsigned g = 1; g < GENERATIONS; g++)
		run_generation(g);
	for (int i = 0; i < PLACES; i++)
		if (places[i].b.at)
			give(&d, &places[i].b);
	dh_heap_get_stats(&after);
	printf("1..2\n");
	printf("%sok 1 - no block met another\n",
	       wrongs || after.wrong_frees ? "not " : "");
	printf("%sok 2 - what was freed was used again\n",
	       after.mapped > before.mapped * 2 ? "not " : "");
	return 0;
}
