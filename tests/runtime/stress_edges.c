/* SPDX-License-Identifier: MIT */
/*
 * Real threads on a few atomic variables at once, all operations, all orders, fences.
 * What is stored with release (or after a release fence) is a stamp: who, and at which
 * of its clocks. Read-modify-writes that keep the value keep the release sequence. So
 * whoever acquires a stamp (by the load, or by a fence after it) must know that clock
 * from then on, whatever the interleaving. A stamp that it does not know is an edge that
 * was missed, and would be a false alarm in a program. Threads give way to each other
 * between the steps of operations that take no lock.
 */
#include "runtime/access.h"
#include "runtime/race.h"
#include "runtime/sync.h"
#include "../unit/dice.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, PLACES = 3, EPOCHS = 1000, ROUNDS = 200 };

uint64_t __tsan_atomic64_load(const volatile uint64_t *a, int mo);
void __tsan_atomic64_store(volatile uint64_t *a, uint64_t v, int mo);
uint64_t __tsan_atomic64_exchange(volatile uint64_t *a, uint64_t v, int mo);
uint64_t __tsan_atomic64_fetch_or(volatile uint64_t *a, uint64_t v, int mo);
uint64_t __tsan_atomic64_compare_exchange_val(volatile uint64_t *a, uint64_t c,
					      uint64_t v, int mo, int fail);
void __tsan_atomic_thread_fence(int mo);

void stress_jitter(void);

static _Alignas(64) uint64_t places[PLACES];
static _Alignas(64) uint64_t own[THREADS][8];
static pthread_barrier_t barrier;
static unsigned missed, races; /* atomic */

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
	__atomic_fetch_add(&races, 1, __ATOMIC_RELAXED);
}

/* Between the steps of an operation that takes no lock (glance.h). */
void stress_jitter(void)
{
	static __thread struct dice dice;
	if (dice_roll(&dice, 8) == 0)
		sched_yield();
}

/* ---- stamps ---- */

struct player {
	struct dice dice;
	unsigned me;
	uint64_t fenced; /* stamp of its last release fence, or 0 */
	uint64_t
	    put_by[16]; /* stamps that relaxed loads saw since its last acquire fence */
	unsigned put_by_count;
};

/* An access of its own, so that the time frame has something to tell. */
static uint64_t stamp(struct player *p)
{
	dh_access_slow((uintptr_t)&own[p->me], DH_WHOLE, DH_ACCESS_WRITE, 0x1000);
	return dh_thread_self()->epoch;
}

static void must_know(uint64_t s)
{
	const struct dh_self *t = dh_thread_self();
	if (s && dh_record_clock(s) > t->vc[dh_record_slot(s)])
		__atomic_fetch_add(&missed, 1, __ATOMIC_RELAXED);
}

static void has_read(struct player *p, uint64_t s, int mo)
{
	if (mo != __ATOMIC_RELAXED && mo != __ATOMIC_RELEASE)
		must_know(s);
	else if (p->put_by_count < DH_ARRAY_LEN(p->put_by))
		p->put_by[p->put_by_count++] = s;
}

/* ---- what they do ---- */

static void store(struct player *p, uint64_t *at)
{
	if (dice_roll(&p->dice, 3))
		__tsan_atomic64_store(at, stamp(p),
				      dice_roll(&p->dice, 2) ? __ATOMIC_RELEASE
							     : __ATOMIC_SEQ_CST);
	else
		__tsan_atomic64_store(at, p->fenced, __ATOMIC_RELAXED);
}

static void exchange(struct player *p, uint64_t *at)
{
	int mo = 3 + (int)dice_roll(&p->dice, 3);
	has_read(p, __tsan_atomic64_exchange(at, stamp(p), mo), mo);
}

static void keep(struct player *p, uint64_t *at)
{
	int mo = (int)dice_roll(&p->dice, 6);
	has_read(p, __tsan_atomic64_fetch_or(at, 0, mo), mo);
}

static void compare(struct player *p, uint64_t *at)
{
	int mo = (int)dice_roll(&p->dice, 6),
	    fail = dice_roll(&p->dice, 2) ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED;
	uint64_t expected = __atomic_load_n(at, __ATOMIC_RELAXED);
	uint64_t mine = mo >= __ATOMIC_RELEASE ? stamp(p) : expected;
	uint64_t found =
	    __tsan_atomic64_compare_exchange_val(at, expected, mine, mo, fail);
	has_read(p, found, found == expected ? mo : fail);
}

/* Half of the threads do: who has passed a release fence publishes with every store. */
static void fence(struct player *p)
{
	int mo = 2 + (int)dice_roll(&p->dice, 4);
	uint64_t s = stamp(p);
	__tsan_atomic_thread_fence(mo);
	if (mo >= __ATOMIC_RELEASE)
		p->fenced = s;
	if (mo == __ATOMIC_RELEASE)
		return;
	for (unsigned i = 0; i < p->put_by_count; i++)
		must_know(p->put_by[i]);
	p->put_by_count = 0;
}

static void play(struct player *p)
{
	uint64_t *at = &places[dice_roll(&p->dice, PLACES)];
	int mo = (int)dice_roll(&p->dice, 3);
	switch (dice_roll(&p->dice, 12)) {
	case 0:
	case 1:
		return store(p, at);
	case 2:
		return exchange(p, at);
	case 3:
	case 4:
		return keep(p, at);
	case 5:
		return compare(p, at);
	case 6:
		return p->me % 2 ? fence(p) : (void)0;
	default:
		return has_read(p, __tsan_atomic64_load(at, mo), mo);
	}
}

/* ---- the run ---- */

struct start {
	struct dh_thread_info *info;
	unsigned me;
};

/* The first operations on a location are special: nobody has released there yet. */
static void start_afresh(void)
{
	dh_sync_forget_range((uintptr_t)places, sizeof places);
	for (unsigned i = 0; i < PLACES; i++)
		places[i] = 0;
}

static void *run(void *arg)
{
	struct start *s = arg;
	struct player p = {.dice = {s->me + 1}, .me = s->me};
	dh_thread_attach(s->info);
	for (unsigned i = 0; i < EPOCHS; i++) {
		pthread_barrier_wait(&barrier);
		for (unsigned k = 0; k < ROUNDS; k++)
			play(&p);
		pthread_barrier_wait(&barrier);
		if (s->me == 0)
			start_afresh();
	}
	dh_thread_detach_self();
	return NULL;
}

int main(void)
{
	pthread_t handles[THREADS];
	struct start starts[THREADS];
	dh_threads_init();
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++) {
		starts[i] = (struct start){.info = dh_thread_create(0), .me = i};
		if (pthread_create(&handles[i], NULL, run, &starts[i]))
			abort();
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(handles[i], NULL);
		dh_thread_joined(starts[i].info);
	}
	printf("1..2\n%s 1 - no edge was missed (%u)\n", missed ? "not ok" : "ok",
	       missed);
	printf("%s 2 - no race among atomics\n", races ? "not ok" : "ok");
	return 0;
}
