/* SPDX-License-Identifier: MIT */
/*
 * Happens-before through atomic variables, by the rules of C11 and C++20.
 *
 * The clock of a location (struct dh_sync.clock) is that of the release sequence which
 * its present value belongs to:
 *
 *   store, release     begins a new sequence: the clock becomes the thread's
 *   store, relaxed     begins one too: it becomes that of the thread's last release
 *                      fence, or empty
 *   read-modify-write  goes on with the sequence: release adds the thread's clock,
 *                      relaxed that of its last release fence
 *   load, acquire      the thread learns the clock; so does an acquiring
 *                      read-modify-write
 *   load, relaxed      the clock is put by, and learned at the next acquire fence; so
 *                      does a relaxed read-modify-write
 *
 * consume counts as acquire, seq_cst as acquire and release (the single order of all
 * such operations makes no happens-before of its own). A compare-exchange that fails is
 * a load with its failure order.
 *
 * The program's operation stands between a begin and an end:
 *
 *	struct dh_edge e;
 *	dh_edge_rmw_begin(&e, addr, mo, mo);
 *	old = __atomic_fetch_add(...);
 *	dh_edge_rmw_end(&e, addr, mo, true);
 *
 * Operation and clock must be of the same instant. What changes the clock does both
 * under the object's lock. What only reads it does without as long as a glance
 * (glance.h) before and after shows that there is nothing new to learn. Where it finds
 * afterwards that the clock has changed meanwhile, a load is done again; for a
 * read-modify-write, which cannot, the thread learns all that may have been the clock in
 * the meantime (struct dh_sync.past): more than needed, so a race may go unseen, but
 * none is made up. Likewise a relaxed store that meets a location without a clock takes
 * no lock: if a release comes to be in between, the store is taken to be the earlier.
 *
 * A location is where an operation begins, and whatever its size. Programs for x86 have
 * operations of different sizes on one word that begin at different bytes, as locks do that
 * are taken as one number and given back as a part of it: who reads such a word also learns,
 * after the operation, what was ever released through those that share bytes with it
 * (dh_edge_others()).
 *
 * Context: any thread that runs code of the program; may allocate.
 */
#ifndef DH_RUNTIME_EDGES_H
#define DH_RUNTIME_EDGES_H

#include "runtime/fences.h"
#include "runtime/glance.h"
#include "runtime/intercept/watch.h"

/* The orders as compilers pass them: the values of C11's memory_order. Bits above them
 * are hints for lock elision. */
DH_INLINE int dh_order(int mo)
{
	return mo & 7;
}

DH_INLINE bool dh_acquires(int mo)
{
	return mo != __ATOMIC_RELAXED && mo != __ATOMIC_RELEASE;
}

DH_INLINE bool dh_releases(int mo)
{
	return mo >= __ATOMIC_RELEASE;
}

/* Has it nothing to learn? */
DH_INLINE bool dh_reads_for_nothing(int mo)
{
	return mo == __ATOMIC_RELAXED && dh_fences_are(DH_FENCES_NONE);
}

struct dh_edge {
	struct dh_self *t;    /* NULL: nothing to do, or not watched */
	struct dh_sync *held; /* locked, the thread `inside`; NULL: only glanced at */
	struct dh_glance glance;
};

/* The parts below that are not for every operation. */
void dh_edge_lock(struct dh_edge *e, uintptr_t addr, bool make);
void dh_edge_loaded(struct dh_edge *e, int mo);
void dh_edge_modified(struct dh_edge *e, int mo, bool wrote);
void dh_edge_missed(uintptr_t addr, int mo);
void dh_edge_store_lock(struct dh_edge *e, uintptr_t addr, int mo);
void dh_edge_stored(struct dh_edge *e);

DH_INLINE void dh_edge_load_begin(struct dh_edge *e, uintptr_t addr, int mo)
{
	struct dh_self *t = e->t = dh_reads_for_nothing(mo) ? NULL : dh_watched();
	e->held = NULL;
	if (!t)
		return;
	if (DH_UNLIKELY(!dh_glance_begin(&e->glance, t, addr, dh_acquires(mo))))
		dh_edge_lock(e, addr, false);
}

/* False where the load has to be done again, from begin on. */
DH_INLINE bool dh_edge_load_end(struct dh_edge *e, uintptr_t addr, int mo)
{
	if (!e->t)
		return true;
	if (DH_LIKELY(!e->held))
		return DH_LIKELY(dh_glance_end(&e->glance, addr));
	dh_edge_loaded(e, mo);
	return true;
}

/* For a compare-exchange, fail is the order of its failure; else the same as mo. */
DH_INLINE void dh_edge_rmw_begin(struct dh_edge *e, uintptr_t addr, int mo, int fail)
{
	bool nothing = dh_reads_for_nothing(mo) && dh_reads_for_nothing(fail);
	struct dh_self *t = e->t = nothing ? NULL : dh_watched();
	e->held = NULL;
	if (!t)
		return;
	bool publishes = dh_releases(mo) || t->state->fence_release;
	bool acquires = dh_acquires(mo) || dh_acquires(fail);
	if (publishes || DH_UNLIKELY(!dh_glance_begin(&e->glance, t, addr, acquires)))
		dh_edge_lock(e, addr, publishes);
}

/* mo is the order that it came to have; wrote is false for a compare-exchange that
 * failed. */
DH_INLINE void dh_edge_rmw_end(struct dh_edge *e, uintptr_t addr, int mo, bool wrote)
{
	if (!e->t)
		return;
	if (e->held)
		dh_edge_modified(e, mo, wrote);
	else if (DH_UNLIKELY(!dh_glance_end(&e->glance, addr)))
		dh_edge_missed(addr, mo);
}

DH_INLINE void dh_edge_store_begin(struct dh_edge *e, uintptr_t addr, int mo)
{
	struct dh_self *t = e->t = dh_watched();
	e->held = NULL;
	if (DH_UNLIKELY(!t))
		return;
	if (dh_releases(mo) || t->state->fence_release || !dh_glance_empty(addr))
		dh_edge_store_lock(e, addr, mo);
}

DH_INLINE void dh_edge_store_end(struct dh_edge *e)
{
	if (e->held)
		dh_edge_stored(e);
}

/* Between begin and the operation, of a store or a read-modify-write: its size. */
void dh_edge_grow(struct dh_sync *s, unsigned size);

DH_INLINE void dh_edge_covers(const struct dh_edge *e, unsigned size)
{
	if (e->held && DH_UNLIKELY(e->held->size < size))
		dh_edge_grow(e->held, size);
}

/* After the end of a load or a read-modify-write: the thread learns of other locations that
 * share bytes with it. */
void dh_edge_learn_others(uintptr_t addr, unsigned size, int mo);

DH_INLINE void dh_edge_others(const struct dh_edge *e, uintptr_t addr, unsigned size, int mo)
{
	const bool found = e->held || e->glance.object;
	if (!e->t || (DH_LIKELY(found && size <= DH_GRANULE) &&
		      DH_LIKELY(!__atomic_load_n(&dh_sync_neighbours, __ATOMIC_RELAXED))))
		return;
	if (found || size > DH_GRANULE ||
	    __atomic_load_n(&dh_sync_bucket(addr)->head, __ATOMIC_ACQUIRE))
		dh_edge_learn_others(addr, size, mo);
}

/* A stand-alone fence. The first acquiring one of a thread in a program that came to have
 * them late (DH_FENCES_LATE) learns all there is to know. */
void dh_edge_fence(int mo);

#endif
