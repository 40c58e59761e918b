/* SPDX-License-Identifier: MIT */
/*
 * Which locks a thread held at an earlier time: for each slot (slots.h) a ring of the
 * last acquires, each with the clocks at which the lock was taken and given back. The
 * record of an access has slot and clock; from these the log tells, at a race, what the
 * other thread held then.
 *
 * A time frame can see several sets of locks, for an acquire does not end it. Locks that
 * were held whenever the frame may have got a record were held for sure, those that were
 * taken or given back in between perhaps. In the usual course (lock, access, unlock)
 * there is no doubt, because a frame that has a record ends at the unlock, and an acquire
 * notes whether its frame had one before it.
 *
 * A frame that was gone back to (resume.h) has the same locks each time, and the log
 * knows them from the first. Where the lock was taken then may be another place each
 * time: the answer is the one that has most of its stack in common with the access, and
 * of those in its own function the last one before it.
 *
 * Concurrency: a log is written by the thread that has the slot, with plain stores; any
 * thread reads, and finds out by the rounds of the ring whether it was overtaken. A ring
 * stays with its slot for good, unless that is used up: once its thread has gone round
 * the ring of its next slot, another slot gets it.
 */
#ifndef DH_RUNTIME_LOCK_LOG_H
#define DH_RUNTIME_LOCK_LOG_H

#include "runtime/thread.h"

enum {
	DH_LOCK_LOG_ENTRIES = 1 << 11,
	DH_LOCK_LOG_PART = DH_LOCK_LOG_ENTRIES / 4, /* given up at a time */
};

/* A lock that was held for a time. */
struct dh_lock_log_entry {
	uint64_t lock; /* atomic */
	uint32_t from; /* atomic: a clock with flags */
	uint32_t to;   /* atomic: likewise; 0: it is still held */
	uint32_t site; /* atomic */
	uint32_t back; /* atomic: the clock of a time frame that was gone back to, or 0 */
};

/* Flags above a clock: the time frame had a record before this step; the lock is held for
 * writing (in `from`). */
enum { DH_LOCK_LOG_RECORDED = 1 << 30, DH_LOCK_LOG_WRITE = 1 << 29 };

struct dh_lock_log {
	uint64_t head;	/* atomic: entries written ever; the next is at head % ENTRIES */
	uint64_t first; /* atomic: of these, the first that has not been given up */
	uint32_t round; /* atomic: begins and ends of giving up; odd in between */
	uint32_t dropped; /* atomic: until this clock locks were held that are gone */
	uint32_t slot;	  /* whose it is; or, */
	struct dh_lock_log *next; /* while it is nobody's, the next one such */
	struct dh_lock_log_entry at[DH_LOCK_LOG_ENTRIES];
};

/* A thread has got a slot: at its start, and when its clock was full. */
void dh_lock_log_attach(struct dh_self *t);

/* It is about to give it back: it may end with locks held. */
void dh_lock_log_detach(struct dh_self *t);

/* In the child of a fork: the thread that had the slot is no more, from that clock on. */
void dh_lock_log_close(uint32_t slot, uint32_t clock);

/* Before the first entry of the slot and of each part: makes room. False where nothing is
 * kept, because the thread has no slot. */
bool dh_lock_log_prepare(struct dh_self *t);

DH_INLINE uint32_t dh_lock_log_now(const struct dh_self *t)
{
	return dh_record_clock(t->epoch) |
	       (t->dirty & DH_DIRTY_RECORD ? DH_LOCK_LOG_RECORDED : 0);
}

/* Whoever goes back to a time frame holds the lock in that one, and from the next on that
 * will begin. */
DH_INLINE uint32_t dh_lock_log_from(const struct dh_self *t, const struct dh_held *h)
{
	uint32_t from =
	    dh_has_resumed(t) ? t->vc[dh_record_slot(t->epoch)] + 1 : dh_lock_log_now(t);
	return from | (h->write ? DH_LOCK_LOG_WRITE : 0);
}

DH_INLINE uint32_t dh_lock_log_back(const struct dh_self *t)
{
	return dh_has_resumed(t) ? dh_record_clock(t->epoch) : 0;
}

/* The words are stored before the head that counts them, and after the round that gave up
 * what they replace: that is all that a reader relies on. */
DH_INLINE void dh_lock_log_put(struct dh_lock_log *log, struct dh_held *h, uint32_t from,
			       uint32_t back)
{
	uint64_t head = log->head;
	struct dh_lock_log_entry *e = &log->at[head % DH_LOCK_LOG_ENTRIES];
	h->entry = (uint32_t)(head % DH_LOCK_LOG_ENTRIES);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&e->lock, h->lock, __ATOMIC_RELAXED);
	__atomic_store_n(&e->from, from, __ATOMIC_RELAXED);
	__atomic_store_n(&e->to, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&e->site, h->site, __ATOMIC_RELAXED);
	__atomic_store_n(&e->back, back, __ATOMIC_RELAXED);
	__atomic_store_n(&log->head, head + 1, __ATOMIC_RELEASE);
}

/* The thread holds this lock from now on; it is not among state->held yet. */
DH_INLINE void dh_lock_log_acquire(struct dh_self *t, struct dh_held *h)
{
	struct dh_lock_log *log = t->state->lock_log;
	if (DH_UNLIKELY(!log || log->head % DH_LOCK_LOG_PART == 0)) {
		if (!dh_lock_log_prepare(t))
			return;
		log = t->state->lock_log;
	}
	dh_lock_log_put(log, h, dh_lock_log_from(t, h), dh_lock_log_back(t));
}

/* And this one no longer. The entry of a lock that is held is never given up. */
DH_INLINE void dh_lock_log_release(struct dh_self *t, const struct dh_held *h)
{
	struct dh_lock_log *log = t->state->lock_log;
	if (DH_LIKELY(log != NULL))
		__atomic_store_n(&log->at[h->entry].to, dh_lock_log_now(t),
				 __ATOMIC_RELAXED);
}

/* What the thread with that slot held when its clock was this. */
struct dh_lock_log_answer {
	struct dh_held sure[DH_HELD_MAX], maybe[DH_HELD_MAX];
	uint32_t sure_count, maybe_count;
};

/* site: of the access. False where the ring has moved on since; then the answer is empty.
 */
bool dh_lock_log_find(uint32_t slot, uint32_t clock, uint32_t site,
		      struct dh_lock_log_answer *out);

#endif
