/* SPDX-License-Identifier: MIT */
/*
 * Real threads on the shadow at once. Each byte is used by the rules of its area: areas
 * under a lock, an array that all read, private ones, words whose bytes belong to
 * different threads. Nothing of this is a race, whatever the interleaving, so any report
 * is a false alarm. Then two threads race on a word, and it must be found every time. And some
 * read an array at once, loop beside loop: who then writes to it must find each of them
 * in every granule. And two meet where one has used other bytes before, which have to be put
 * aside.
 */
#include "runtime/race.h"
#include "runtime/sync.h"
#include "../unit/dice.h"
#include "real_threads.h"
#include "steps.h"

#include <sched.h>
#include <stdio.h>

enum { THREADS = 6, LOCKS = 4, AREA = 512, ROUNDS = 60000, RACES = 200 };
enum { GRANULES = 4096, SWEEPS = 1000 };
enum { LOST_MOST = 10000 }; /* one in so many: a hundred times what was ever seen */

static pthread_mutex_t locks[LOCKS];
static _Alignas(64) uint8_t locked[LOCKS][AREA], shared[AREA], own[THREADS][AREA];
static _Alignas(64) uint8_t mosaic[AREA]; /* byte i belongs to thread i % 8 */
static _Alignas(64) uint64_t raced;
static unsigned reports; /* atomic */

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
	__atomic_fetch_add(&reports, 1, __ATOMIC_RELAXED);
}

static void touch(struct dice *d, uint8_t *area, bool write)
{
	unsigned size = 1u << dice_roll(d, 4);
	uintptr_t addr = (uintptr_t)area + dice_roll(d, AREA / size) * size;
	uint64_t pc = 0x1000 + dice_roll(d, 8);
	if (dice_roll(d, 16) == 0)
		dh_access_range((uintptr_t)area + dice_roll(d, AREA / 2), 1 + dice_roll(d, 100),
				write ? DH_ACCESS_WRITE : 0, pc);
	else if (size == 8 && dice_roll(d, 2))
		all_steps_of_two(addr == (uintptr_t)area + AREA - 8 ? addr - 8 : addr, write, pc);
	else
		all_steps(addr, size, write, pc);
}

static void under_lock(struct dice *d)
{
	struct dh_self *t = dh_thread_self();
	unsigned i = dice_roll(d, LOCKS);
	pthread_mutex_lock(&locks[i]);
	dh_sync_acquire(t, (uintptr_t)&locks[i]);
	for (unsigned n = dice_roll(d, 8); n > 0; n--)
		touch(d, locked[i], dice_roll(d, 2));
	dh_sync_release(t, (uintptr_t)&locks[i]);
	pthread_mutex_unlock(&locks[i]);
}

static void play_by_the_rules(unsigned me)
{
	struct dice d = {me + 1};
	for (unsigned i = 0; i < ROUNDS; i++) {
		switch (dice_roll(&d, 4)) {
		case 0:
			under_lock(&d);
			break;
		case 1:
			touch(&d, shared, false);
			break;
		case 2:
			touch(&d, own[me], dice_roll(&d, 2));
			break;
		case 3: {
			uintptr_t a = (uintptr_t)mosaic + dice_roll(&d, AREA / 8) * 8 + me;
			dh_access_slow(a, dh_mask_of(a, 1), DH_ACCESS_WRITE, 0x2000 + me);
			break;
		}
		}
	}
}

/* The same loop in several threads, side by side; then another one goes over it. The barriers
 * are no business of the runtime's. */
static uint64_t swept[GRANULES];
static pthread_barrier_t together;
enum { READERS = 4 };

static void sweep(bool write, uint64_t pc)
{
	for (unsigned i = 0; i < GRANULES; i++)
		all_steps((uintptr_t)&swept[i], 8, write, pc);
}

static void sweep_together(unsigned me)
{
	pthread_barrier_wait(&together);
	if (me < READERS)
		sweep(false, 0x5000);
	pthread_barrier_wait(&together);
	if (me == READERS)
		sweep(true, 0x6000);
	pthread_barrier_wait(&together);
}

/* Both write to the second half of a granule at once. What the first thread had in it goes aside,
 * into memory that is made for each stretch of granules when it is first needed. */
enum { STRETCH = 256 / sizeof(uint64_t), STRETCHES = 1 << 14 };
static _Alignas(256) uint64_t halves[STRETCHES * STRETCH];
static unsigned steps[2]; /* atomic */

static void in_step(unsigned me, unsigned i)
{
	__atomic_store_n(&steps[me], i, __ATOMIC_SEQ_CST);
	for (unsigned looks = 1; __atomic_load_n(&steps[!me], __ATOMIC_SEQ_CST) < i; looks++)
		if (looks % 256 == 0)
			sched_yield();
}

static void meet(unsigned me)
{
	enum { FIRST = 0x8000, SECOND = 0x9000 };
	uintptr_t at = (uintptr_t)halves;
	for (unsigned i = 1; i <= STRETCHES; i++, at += STRETCH * sizeof(uint64_t)) {
		if (me == 0) {
			all_steps(at, 4, true, FIRST);
			dh_sync_release(dh_thread_self(), (uintptr_t)&steps[0]);
		}
		in_step(me, i);
		all_steps(at + 4, 4, true, SECOND + me);
	}
}

static void race(unsigned me)
{
	(void)me;
	dh_access_slow((uintptr_t)&raced, DH_WHOLE, DH_ACCESS_WRITE, 0x3000);
}

int main(void)
{
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
	dh_threads_init();
	dh_access_range((uintptr_t)shared, AREA, DH_ACCESS_WRITE, 0x4000);
	run_all(THREADS, play_by_the_rules);
	printf("1..4\n%s 1 - no false alarm\n", reports ? "not ok" : "ok");
	unsigned found = 0;
	for (unsigned i = 0; i < RACES; i++) {
		reports = 0;
		run_all(2, race);
		found += reports > 0;
	}
	printf("%s 2 - a race was found in %u of %u rounds\n",
	       found == RACES ? "ok" : "not ok", found, RACES);
	pthread_barrier_init(&together, NULL, READERS + 1);
	reports = 0;
	for (unsigned i = 0; i < SWEEPS; i++) {
		sweep(true, 0x7000); /* so that they are no reader's own, whatever its slot */
		run_all(READERS + 1, sweep_together);
	}
	const unsigned all = SWEEPS * GRANULES * READERS;
	const bool enough = reports <= all && all - reports <= all / LOST_MOST;
	printf("%s 3 - %u of %u reads were found\n", enough ? "ok" : "not ok", reports, all);
	reports = 0;
	run_all(2, meet);
	printf("%s 4 - %u of %u meetings were found\n",
	       reports == STRETCHES ? "ok" : "not ok", reports, STRETCHES);
	return 0;
}
