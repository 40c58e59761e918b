/* SPDX-License-Identifier: MIT */
/*
 * Barriers. All who meet in a round come after what each of them did before it, and
 * not after what a faster one does when it is past: that one may be on its way into
 * the next round while a slower one has yet to look. So each round has a clock of its
 * own: arriving threads add theirs and keep hold of it, leaving ones learn it, and the
 * last to leave drops it.
 *
 * Which threads make a round is decided here, and they wait here: the C library is asked
 * to make a barrier and to destroy it, and that is all. Else the order of arrival there
 * might not be the one here. And waiting can be cheaper here: who waits lets others run
 * for a moment before it sleeps, since they are mostly on their way.
 *
 * But a barrier of several processes, or one that was made before we could see it, is
 * `foreign`: the C library's. It has one clock for all rounds. That may hide a race, and
 * raises no false alarm.
 *
 * Invariants, under the barrier's lock: `filling` is NULL or has fewer arrivals than
 * the barrier is for. The table and each thread between arrival and departure hold the
 * barrier, and who lets go of it last frees it; it is so with rounds and their threads.
 */
#include "runtime/intercept/barrier.h"
#include <limits.h>
#include <pthread.h>
#include <time.h>
#include "base/kernel.h"
#include "base/mem.h"
#include "base/sys.h"
#include "runtime/abi.h"
#include "runtime/intercept/object.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/watch.h"
#include "runtime/observer.h"
#include "runtime/sync.h"

DH_REAL_WANT(pthread_barrier_init);
DH_REAL_WANT(pthread_barrier_destroy);
DH_REAL_WANT(pthread_barrier_wait);
DH_REAL_WANT(clock_gettime);

enum {
	BUCKETS = 256,
	NAMES = sizeof(pthread_barrier_t), /* addresses that engines can know rounds by */
	PAUSES = 200,			   /* of who waits where all can run at once */
	TURNS = 6,			   /* that others get before a thread sleeps */
	LONG_TURN = 1000000,		   /* nanoseconds */
};

/* Of a round: is it over? */
enum { WAITING, ASLEEP, OVER };

struct round {
	struct dh_clockset clock; /* whole once the round is over */
	uint32_t arrived;	  /* under the barrier's lock */
	uint32_t left;		  /* atomic */
	uint32_t name;		  /* none that overlaps has the same */
	uint32_t state;		  /* atomic */
};

struct barrier {
	struct barrier *next; /* under table_lock */
	uintptr_t addr;
	uint32_t holders;    /* atomic */
	struct dh_lock lock; /* for what follows */
	uint32_t count;	     /* threads to a round; 0: foreign */
	uint32_t names;	     /* atomic: a bit for each that a round has */
	struct round *filling;
	struct dh_clockset all;	 /* of a foreign one */
	pthread_barrier_t fresh; /* what the C library has made of it */
};
_Static_assert(NAMES == 32, "as many as there are bits");

static struct dh_lock table_lock;
DH_LOCK_AROUND_FORK(table_lock, DH_FORK_OUTER);
static struct barrier *table[BUCKETS]; /* under table_lock */

/* ---- processors ---- */

/* That this process may use. */
static uint32_t processors(void)
{
	static uint32_t known; /* atomic */
	uint32_t n = __atomic_load_n(&known, __ATOMIC_RELAXED);
	uint64_t set[16] = {0};
	if (n)
		return n;
	DH_KERNEL_3(__NR_sched_getaffinity, 0, sizeof set, set);
	for (size_t i = 0; i < sizeof set / sizeof *set; i++)
		n += (uint32_t)__builtin_popcountll(set[i]);
	n = n ? n : 1;
	__atomic_store_n(&known, n, __ATOMIC_RELAXED);
	return n;
}

/* ---- the table ---- */

static struct barrier **link_of(uintptr_t addr)
{
	struct barrier **link = &table[dh_mix(addr) % BUCKETS];
	while (*link && (*link)->addr != addr)
		link = &(*link)->next;
	return link;
}

static void let_go(struct barrier *b)
{
	if (__atomic_sub_fetch(&b->holders, 1, __ATOMIC_ACQ_REL))
		return;
	dh_clockset_free(&b->all);
	dh_mem_free(b, sizeof *b);
}

/* The memory is no barrier now, or another one. */
static void forget(uintptr_t addr)
{
	struct barrier **link = link_of(addr), *b = *link;
	if (!b)
		return;
	*link = b->next;
	let_go(b);
}

static struct barrier *make(const pthread_barrier_t *barrier, uint32_t count)
{
	struct barrier *b = dh_mem_alloc(sizeof *b);
	b->addr = (uintptr_t)barrier;
	b->holders = 1;
	b->count = count;
	b->fresh = *barrier;
	forget(b->addr);
	b->next = *link_of(b->addr);
	*link_of(b->addr) = b;
	return b;
}

/* Is it still what was made here? Threads do not wait in the C library, so that it has
 * not changed; memory that somebody else has made another barrier of has. */
static bool is_fresh(const struct barrier *b, const pthread_barrier_t *barrier)
{
	return !b->count || dh_same(&b->fresh, barrier, sizeof *barrier);
}

/* The barrier, held. */
static struct barrier *get(const pthread_barrier_t *barrier)
{
	dh_lock(&table_lock);
	struct barrier *b = *link_of((uintptr_t)barrier);
	if (!b || !is_fresh(b, barrier))
		b = make(barrier, 0);
	__atomic_fetch_add(&b->holders, 1, __ATOMIC_RELAXED);
	dh_unlock(&table_lock);
	return b;
}

/* ---- rounds ---- */

/* Where there are too many, those with the same name are one to engines: more order than
 * there was. */
static uint32_t take_name(struct barrier *b)
{
	const uint32_t used = __atomic_load_n(&b->names, __ATOMIC_RELAXED);
	const uint32_t name = ~used ? (uint32_t)__builtin_ctz(~used) : NAMES - 1;
	__atomic_fetch_or(&b->names, (uint32_t)1 << name, __ATOMIC_RELAXED);
	return name;
}

static struct round *round_to_fill(struct barrier *b)
{
	if (!b->filling) {
		b->filling = dh_mem_alloc(sizeof *b->filling);
		b->filling->name = take_name(b);
	}
	return b->filling;
}

static void drop_round(struct barrier *b, struct round *r)
{
	__atomic_fetch_and(&b->names, ~((uint32_t)1 << r->name), __ATOMIC_RELAXED);
	dh_clockset_free(&r->clock);
	dh_mem_free(r, sizeof *r);
}

/* t is NULL for a thread that is not watched. True: it is the last. */
static bool arrive(struct dh_self *t, struct barrier *b, struct round **round)
{
	dh_lock(&b->lock);
	struct round *r = *round = round_to_fill(b);
	if (t) {
		dh_saw(t, DH_SEEN_BARRIER_ENTER, b->addr + r->name, 0);
		dh_clockset_join(&r->clock, t);
	}
	const bool last = ++r->arrived == b->count;
	if (last)
		b->filling = NULL;
	dh_unlock(&b->lock);
	if (t)
		dh_thread_tick(t);
	return last;
}

static void leave(struct dh_self *t, struct barrier *b, struct round *r)
{
	if (t) {
		dh_saw(t, DH_SEEN_BARRIER_LEAVE, b->addr + r->name, 0);
		dh_clockset_learn(t, &r->clock);
	}
	if (__atomic_add_fetch(&r->left, 1, __ATOMIC_ACQ_REL) == b->count)
		drop_round(b, r);
}

/* ---- waiting ---- */

static bool is_over(const struct round *r)
{
	return __atomic_load_n(&r->state, __ATOMIC_ACQUIRE) == OVER;
}

static void end_round(struct round *r)
{
	if (__atomic_exchange_n(&r->state, OVER, __ATOMIC_ACQ_REL) == ASLEEP)
		dh_sys_futex_wake(&r->state, INT_MAX);
}

static uint64_t now(void)
{
	struct timespec t;
	DH_REAL(clock_gettime)(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Lets others run, who have yet to arrive. Where that takes long, somebody else is at
 * work: a thread that gives its turn away waits for as long as such others like, and one
 * that sleeps is run soon after it is woken. */
static bool ends_soon(struct dh_patience *p, const struct round *r)
{
	uint64_t before = now(), after;
	for (unsigned i = 0; i < TURNS && !is_over(r); i++, before = after) {
		DH_KERNEL_0(__NR_sched_yield);
		after = now();
		if (after - before > LONG_TURN) {
			dh_patience_lose(p);
			return is_over(r);
		}
	}
	const bool soon = is_over(r);
	dh_patience_note(p, soon);
	return soon;
}

/* Where there is a processor for each, the others are at work at this very moment. */
static bool ends_at_once(struct dh_patience *p, const struct round *r)
{
	for (unsigned i = 0; i < PAUSES; i++, dh_breathe())
		if (is_over(r)) {
			dh_patience_note(p, true);
			return true;
		}
	return false;
}

static void await_end(struct dh_patience *p, const struct barrier *b, struct round *r)
{
	if (is_over(r))
		return;
	if (dh_patience_has(p) &&
	    ((b->count <= processors() && ends_at_once(p, r)) || ends_soon(p, r)))
		return;
	uint32_t waiting = WAITING;
	__atomic_compare_exchange_n(&r->state, &waiting, ASLEEP, false, __ATOMIC_ACQUIRE,
				    __ATOMIC_ACQUIRE);
	while (!is_over(r))
		dh_sys_futex_wait(&r->state, ASLEEP);
}

static int meet(struct dh_self *t, struct barrier *b)
{
	struct dh_self *self = dh_thread_self();
	struct dh_patience none = {.useless = DH_PATIENCE};
	struct round *round;
	const bool last = arrive(t, b, &round);
	dh_leave_runtime(self);
	if (last)
		end_round(round);
	else
		await_end(t ? &t->state->at_barriers : &none, b, round);
	dh_enter_runtime(self);
	leave(t, b, round);
	return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* The same where the C library's is used. */
static int meet_in_real(struct dh_self *t, struct barrier *b)
{
	struct dh_self *self = dh_thread_self();
	if (t) {
		dh_lock(&b->lock);
		dh_saw(t, DH_SEEN_SEND, b->addr, 0);
		dh_clockset_join(&b->all, t);
		dh_unlock(&b->lock);
		dh_thread_tick(t);
	}
	dh_leave_runtime(self);
	const int result = DH_REAL(pthread_barrier_wait)((pthread_barrier_t *)b->addr);
	dh_enter_runtime(self);
	if (t) {
		dh_lock(&b->lock);
		dh_saw(t, DH_SEEN_RECEIVE, b->addr, 0);
		dh_clockset_learn(t, &b->all);
		dh_unlock(&b->lock);
	}
	return result;
}

/* Threads that are no more have arrived all the same, as in the C library. What one of
 * them was in the middle of changing is lost. */
void dh_barriers_after_fork(void)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct barrier *b = table[i]; b; b = b->next) {
			if (!b->lock.word)
				continue;
			b->lock = (struct dh_lock){0};
			b->all = (struct dh_clockset){0};
			if (b->filling)
				b->filling->clock = (struct dh_clockset){0};
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
	dh_lock(&table_lock);
	make(barrier, shared ? 0 : count);
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
		dh_lock(&table_lock);
		forget((uintptr_t)barrier);
		dh_unlock(&table_lock);
		dh_leave_runtime(t);
	}
	return result;
}

DH_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	struct dh_self *t = dh_watched(), *self = dh_thread_self();
	if (t) {
		dh_object_wanted(barrier, DH_CALLER());
		dh_object_used(barrier, DH_CALLER());
	}
	dh_enter_runtime(self);
	struct barrier *b = get(barrier);
	const int result = b->count ? meet(t, b) : meet_in_real(t, b);
	let_go(b);
	dh_leave_runtime(self);
	return result;
}
