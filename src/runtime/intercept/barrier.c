/* SPDX-License-Identifier: MIT */
/*
 * Barriers. All who meet in a round come after what each of them did before it, and
 * not after what a faster one does when it is past: that one may be on its way into
 * the next round while a slower one has yet to look. So each round has a clock of its
 * own: arriving threads add theirs and keep hold of it, leaving ones learn it, and the
 * last to leave drops it.
 *
 * Which round a thread is in follows from counting arrivals, as long as no more threads
 * use the barrier at a time than it is for. Where more do, or some that are not watched,
 * or other processes, or where it was made before we could see it, the order of arrival
 * here may not be that of the C library; such a barrier is `loose`: it has one clock
 * for all rounds. That may hide a race, and raises no false alarm.
 *
 * Invariants, under the barrier's lock: `filling` is NULL or has fewer arrivals than
 * the barrier is for; each thread in `within` holds exactly one round, or counts on
 * `all` if the barrier was loose when it came. A destroyed barrier stays until the last
 * thread has left it.
 */
#include "runtime/intercept/barrier.h"
#include <pthread.h>
#include "base/mem.h"
#include "runtime/abi.h"
#include "runtime/intercept/object.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/watch.h"
#include "runtime/observer.h"
#include "runtime/sync.h"

DH_REAL_WANT(pthread_barrier_init);
DH_REAL_WANT(pthread_barrier_destroy);
DH_REAL_WANT(pthread_barrier_wait);

enum { BUCKETS = 256 };

struct round {
	struct round *next; /* of the rounds that threads hold */
	struct dh_clockset clock;
	uint32_t arrived;
	uint32_t left;
	uint32_t number; /* 0 or 1, by turns: of two that overlap each has its own */
};

struct barrier {
	struct barrier *next; /* under table_lock */
	uintptr_t addr;
	struct dh_lock lock; /* for what follows */
	uint32_t count;	     /* threads to a round */
	uint32_t within;     /* threads between arrival and departure */
	bool loose;
	bool owing; /* it is loose, and engines have yet to be told of its rounds */
	bool gone;
	uint32_t turn; /* of the next round */
	struct round *filling;
	struct round *rounds;
	struct dh_clockset all; /* of a loose one */
};

static struct dh_lock table_lock;
DH_LOCK_AROUND_FORK(table_lock, DH_FORK_OUTER);
static struct barrier *table[BUCKETS]; /* under table_lock */

/* ---- the table ---- */

static struct barrier **link_of(uintptr_t addr)
{
	struct barrier **link = &table[dh_mix(addr) % BUCKETS];
	while (*link && (*link)->addr != addr)
		link = &(*link)->next;
	return link;
}

static struct barrier *make(uintptr_t addr, uint32_t count, bool loose)
{
	struct barrier *b = dh_mem_alloc(sizeof *b);
	b->addr = addr;
	b->count = count;
	b->loose = loose;
	b->next = *link_of(addr);
	*link_of(addr) = b;
	return b;
}

/* The barrier at addr, locked. */
static struct barrier *get(uintptr_t addr)
{
	dh_lock(&table_lock);
	struct barrier *b = *link_of(addr);
	if (!b)
		b = make(addr, 0, true);
	dh_lock(&b->lock);
	dh_unlock(&table_lock);
	return b;
}

/* Nobody holds it or can find it any more. */
static void dispose(struct barrier *b)
{
	DH_ASSERT(!b->rounds);
	dh_clockset_free(&b->all);
	dh_mem_free(b, sizeof *b);
}

static void drop_round(struct barrier *b, struct round *r)
{
	struct round **link = &b->rounds;
	while (*link != r)
		link = &(*link)->next;
	*link = r->next;
	if (b->filling == r)
		b->filling = NULL;
	dh_clockset_free(&r->clock);
	dh_mem_free(r, sizeof *r);
}

/* The memory is no barrier now, or another one. */
static void forget(uintptr_t addr)
{
	dh_lock(&table_lock);
	struct barrier **link = link_of(addr), *b = *link;
	if (b)
		*link = b->next;
	dh_unlock(&table_lock);
	if (!b)
		return;
	dh_lock(&b->lock);
	b->gone = true;
	bool empty = b->within == 0;
	dh_unlock(&b->lock);
	if (empty)
		dispose(b);
}

/* ---- rounds ---- */

/* More threads than it is for: what is under way belongs to all. */
static DH_COLD void loosen(struct barrier *b)
{
	b->loose = b->owing = true;
	b->filling = NULL;
	for (struct round *r = b->rounds; r; r = r->next)
		dh_clockset_merge(&b->all, &r->clock);
}

static struct round *round_to_fill(struct barrier *b)
{
	struct round *r = b->filling;
	if (!r) {
		r = b->filling = dh_mem_alloc(sizeof *r);
		r->number = b->turn;
		b->turn ^= 1;
		r->next = b->rounds;
		b->rounds = r;
	}
	if (++r->arrived == b->count)
		b->filling = NULL;
	return r;
}

/* What engines know a round as. */
static uintptr_t object_of(const struct barrier *b, const struct round *round)
{
	return b->addr + (round ? round->number : 0);
}

/* Engines have no word for a barrier that turns loose. So the thread, which arrives now,
 * comes after those in all rounds, and hands that on: orders more than there was. */
static DH_COLD void tell_rounds(struct dh_self *t, struct barrier *b)
{
	b->owing = false;
	for (const struct round *r = b->rounds; r; r = r->next)
		dh_saw(t, DH_SEEN_BARRIER_LEAVE, object_of(b, r), 0);
}

/* *round gets what leave() needs; NULL for a loose barrier. */
static struct barrier *arrive(struct dh_self *t, uintptr_t addr, struct round **round)
{
	dh_enter_runtime(t);
	struct barrier *b = get(addr);
	if (++b->within > b->count && !b->loose)
		loosen(b);
	if (DH_UNLIKELY(b->owing))
		tell_rounds(t, b);
	*round = b->loose ? NULL : round_to_fill(b);
	dh_saw(t, *round ? DH_SEEN_BARRIER_ENTER : DH_SEEN_SEND, object_of(b, *round), 0);
	dh_clockset_join(*round ? &(*round)->clock : &b->all, t);
	dh_unlock(&b->lock);
	dh_thread_tick(t);
	dh_leave_runtime(t);
	return b;
}

/* A thread that we do not watch meets those that we do: arrivals cannot be counted. */
static DH_COLD void arrive_unwatched(uintptr_t addr)
{
	dh_enter_runtime(dh_thread_self());
	struct barrier *b = get(addr);
	if (!b->loose)
		loosen(b);
	dh_unlock(&b->lock);
	dh_leave_runtime(dh_thread_self());
}

static void leave(struct dh_self *t, struct barrier *b, struct round *round)
{
	dh_enter_runtime(t);
	dh_lock(&b->lock);
	if (b->loose)
		dh_saw(t, DH_SEEN_RECEIVE, object_of(b, NULL), 0);
	if (round) {
		dh_saw(t, DH_SEEN_BARRIER_LEAVE, object_of(b, round), 0);
		dh_clockset_learn(t, &round->clock);
		if (++round->left == round->arrived)
			drop_round(b, round);
	}
	if (b->loose)
		dh_clockset_learn(t, &b->all);
	bool last = --b->within == 0 && b->gone;
	dh_unlock(&b->lock);
	if (last)
		dispose(b);
	dh_leave_runtime(t);
}

/* What the lost threads held is lost with them; the C library still counts them, so
 * that rounds cannot be told apart. */
void dh_barriers_after_fork(void)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct barrier *b = table[i]; b; b = b->next) {
			if (!b->lock.word && b->within == 0)
				continue;
			b->lock = (struct dh_lock){0};
			b->loose = true;
			b->within = 0;
			b->filling = b->rounds = NULL;
			b->all = (struct dh_clockset){0};
		}
	}
}

/* ---- the functions ---- */

static bool is_shared(const pthread_barrierattr_t *attr)
{
	int shared = PTHREAD_PROCESS_PRIVATE;
	return attr && pthread_barrierattr_getpshared(attr, &shared) == 0 &&
	       shared != PTHREAD_PROCESS_PRIVATE;
}

DH_EXPORT int pthread_barrier_init(pthread_barrier_t *barrier,
				   const pthread_barrierattr_t *attr, unsigned count)
{
	struct dh_self *t = dh_thread_self();
	int result = DH_REAL(pthread_barrier_init)(barrier, attr, count);
	if (result != 0)
		return result;
	bool shared = is_shared(attr);
	dh_object_made(barrier, sizeof *barrier, DH_CALLER());
	dh_enter_runtime(t);
	forget((uintptr_t)barrier);
	dh_lock(&table_lock);
	make((uintptr_t)barrier, count, shared);
	dh_unlock(&table_lock);
	dh_leave_runtime(t);
	return 0;
}

DH_EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
	struct dh_self *t = dh_thread_self();
	int result = DH_REAL(pthread_barrier_destroy)(barrier);
	if (result == 0) {
		dh_object_gone(barrier, sizeof *barrier, DH_CALLER());
		dh_enter_runtime(t);
		forget((uintptr_t)barrier);
		dh_leave_runtime(t);
	}
	return result;
}

DH_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	struct dh_self *t = dh_watched();
	if (!t) {
		arrive_unwatched((uintptr_t)barrier);
		return DH_REAL(pthread_barrier_wait)(barrier);
	}
	dh_object_wanted(barrier, DH_CALLER());
	dh_object_used(barrier, DH_CALLER());
	struct round *round;
	struct barrier *b = arrive(t, (uintptr_t)barrier, &round);
	int result = DH_REAL(pthread_barrier_wait)(barrier);
	leave(t, b, round);
	return result;
}
