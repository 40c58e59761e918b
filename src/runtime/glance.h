/* SPDX-License-Identifier: MIT */
/*
 * Looking at synchronisation objects without locking them: finding out that there is
 * none, or that it has nothing to tell. Most acquires are of that kind, and atomic
 * variables that many threads read would suffer most from a lock.
 *
 * The use:
 *	if (dh_glance_begin(&g, t, addr, true)) {
 *		the operation of the program on addr;
 *		if (dh_glance_end(&g, addr))
 *			done: what it read was put there by nobody whose clock this
 *			thread does not know
 *	}
 *
 * Why it holds
 *   (a) Who releases through addr makes the object, locks it and makes its count of
 *       changes odd before it does its operation on the memory. So who reads what that
 *       operation wrote sees the object, and that count or a later one.
 *   (b) The clock is read between two readings of the count. If both are the same and
 *       even, all of it was of that time, and no change had begun when the operation
 *       was done.
 *   (c) A chain is walked without a lock. A bucket counts removals before and after
 *       each, so that with the same even count on both sides of the walk the chain has
 *       lost nothing, and a miss is one. An empty bucket needs no count.
 *   (d) Objects never leave the table's memory for other use.
 *
 * Concurrency: any thread, at any time, signal handlers too. No lock, no allocation.
 */
#ifndef DH_RUNTIME_GLANCE_H
#define DH_RUNTIME_GLANCE_H

#include "runtime/sync.h"

/* Where a test lets other threads come in between. */
#ifdef DH_JITTER
void DH_JITTER(void);
#define DH_GLANCE_PAUSE() DH_JITTER()
#else
#define DH_GLANCE_PAUSE() ((void)0)
#endif

#define DH_SYNC_TABLE_BITS 16
#define DH_SYNC_SPREAD	   0x9e3779b97f4a7c15ull

struct dh_sync_bucket {
	struct dh_sync *head; /* atomic; written under lock */
	struct dh_lock lock;
	uint32_t removals; /* atomic; odd while one is under way */
};

extern struct dh_sync_bucket dh_sync_table[1 << DH_SYNC_TABLE_BITS];

/* Have there ever been two objects in one granule, or one that reaches beyond its own? */
extern bool dh_sync_neighbours; /* atomic */

/* Objects of one page of the program's memory have theirs within one page of the table, in
 * their order from some place on. */
enum { DH_SYNC_NEAR_BITS = 8, DH_SYNC_PAGE_BITS = 12 };

DH_INLINE struct dh_sync_bucket *dh_sync_bucket(uintptr_t addr)
{
	const uint64_t page = (addr >> DH_SYNC_PAGE_BITS) * DH_SYNC_SPREAD;
	const uint64_t far = page >> (64 - DH_SYNC_TABLE_BITS),
		       near = addr / DH_GRANULE + far,
		       mask = ((uint64_t)1 << DH_SYNC_NEAR_BITS) - 1;
	return &dh_sync_table[(far & ~mask) | (near & mask)];
}

DH_INLINE struct dh_sync *dh_sync_walk(const struct dh_sync_bucket *b, uintptr_t addr)
{
	struct dh_sync *s = __atomic_load_n(&b->head, __ATOMIC_ACQUIRE);
	while (s && __atomic_load_n(&s->addr, __ATOMIC_RELAXED) != addr)
		s = __atomic_load_n(&s->next, __ATOMIC_ACQUIRE);
	return s;
}

/* The object at addr, which may stop being that at any time; NULL where none was found,
 * and then *certain tells whether there was none. */
DH_INLINE struct dh_sync *dh_sync_find(uintptr_t addr, bool *certain)
{
	const struct dh_sync_bucket *b = dh_sync_bucket(addr);
	*certain = true;
	if (!__atomic_load_n(&b->head, __ATOMIC_ACQUIRE))
		return NULL;
	uint32_t before = __atomic_load_n(&b->removals, __ATOMIC_ACQUIRE);
	struct dh_sync *s = dh_sync_walk(b, addr);
	if (!s) {
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		uint32_t after = __atomic_load_n(&b->removals, __ATOMIC_RELAXED);
		*certain = before == after && !(before & 1);
	}
	return s;
}

/* The object that was found at addr, locked; NULL where it is that of another by now. */
DH_INLINE struct dh_sync *dh_sync_lock_as(struct dh_sync *s, uintptr_t addr)
{
	dh_brief_lock(&s->lock);
	if (DH_LIKELY(s->addr == addr))
		return s;
	dh_brief_unlock(&s->lock);
	return NULL;
}

/* The object at addr, locked, where it is found at once; else NULL. */
DH_INLINE struct dh_sync *dh_sync_lock_found(uintptr_t addr, bool *certain)
{
	struct dh_sync *s = dh_sync_find(addr, certain);
	if (DH_UNLIKELY(!s))
		return NULL;
	s = dh_sync_lock_as(s, addr);
	*certain = s != NULL;
	return s;
}

struct dh_glance {
	struct dh_sync *object; /* NULL: there was none */
	uint32_t changes;
};

/* Reads the object's state where it is at rest. */
DH_INLINE bool dh_glance_at(struct dh_glance *g, uintptr_t addr)
{
	const struct dh_sync *s = g->object;
	g->changes = __atomic_load_n(&s->changes, __ATOMIC_ACQUIRE);
	return !(g->changes & 1) && __atomic_load_n(&s->addr, __ATOMIC_RELAXED) == addr;
}

/* Clocks that are not of one thread: has the thread learned this object's as it is now
 * (or, where that is enough, put it by for its next acquire fence)? Most objects that it
 * deals with stay the same few. */
DH_INLINE struct dh_learned *dh_learned_of(const struct dh_self *t,
					   const struct dh_sync *s)
{
	return &t->state->learned[(uintptr_t)s / sizeof *s % DH_LEARNED];
}

DH_INLINE bool dh_has_learned(const struct dh_self *t, const struct dh_sync *s,
			      uint32_t changes, bool acquires)
{
	const struct dh_learned *l = dh_learned_of(t, s);
	return l->object == s && l->changes == changes && (l->acquired || !acquires);
}

/* The thread has learned what the object, which it has locked, will have once it is
 * unlocked. */
DH_INLINE void dh_note_learned(struct dh_self *t, const struct dh_sync *s, bool acquired)
{
	if (DH_UNLIKELY(t->state->handler_count != 0))
		return;
	*dh_learned_of(t, s) = (struct dh_learned){
	    .object = s, .changes = s->changes + (s->changes & 1), .acquired = acquired};
}

/* Is there nothing to learn at addr? acquires is false where it would only be put by.
 * No may be wrong: then ask again under the lock. */
DH_INLINE bool dh_glance_begin(struct dh_glance *g, const struct dh_self *t,
			       uintptr_t addr, bool acquires)
{
	bool certain;
	g->object = dh_sync_find(addr, &certain);
	if (!g->object) {
		DH_GLANCE_PAUSE();
		return certain;
	}
	bool known =
	    dh_glance_at(g, addr) && (dh_clockset_known(&g->object->clock, t) ||
				      dh_has_learned(t, g->object, g->changes, acquires));
	DH_GLANCE_PAUSE();
	return known;
}

/* Has nothing changed since begin? */
DH_INLINE bool dh_glance_end(const struct dh_glance *g, uintptr_t addr)
{
	bool certain;
	DH_GLANCE_PAUSE();
	if (!g->object)
		return !dh_sync_find(addr, &certain) && certain;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&g->object->changes, __ATOMIC_RELAXED) == g->changes;
}

/* Is there no clock at addr at all? */
DH_INLINE bool dh_glance_empty(uintptr_t addr)
{
	bool certain;
	struct dh_glance g = {.object = dh_sync_find(addr, &certain)};
	if (!g.object)
		return certain;
	return dh_glance_at(&g, addr) &&
	       !__atomic_load_n(&g.object->clock.len, __ATOMIC_RELAXED) &&
	       dh_glance_end(&g, addr);
}

#endif
