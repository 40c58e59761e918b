/* SPDX-License-Identifier: MIT */
/*
 * The two happens-before relations over one scalar clock per thread.
 *
 *   strong  program order, fork, join, messages, barriers, volatiles and locks
 *   weak    the same without the lock edges (hybrid detectors judge locks by
 *           locksets instead)
 *
 * Each thread has one scalar clock that ticks at every release-like step (the
 * start of a new time frame) and, per relation, what it knows of the others.
 * One epoch stored with an access therefore answers both questions.
 *
 * Glossary
 *   party     a thread as the orders see it
 *   slot      a party's index in the vector clocks. Given back when the thread
 *             is joined; given again to a thread whose creator knows of all that
 *             the former owner did, so that one entry can speak for both.
 *   know      a party's knowledge of the others in one relation. Its own entry
 *             is not in it: that is the scalar clock.
 *   publish   a releasing step: what the party knows, and its own epoch, become
 *             visible in a synchronisation object; then the scalar ticks.
 *   learn     an acquiring step: the reverse.
 *
 * Invariant (W): who knows a party's epoch knows all that this party knew when it
 * published with it. Hence a published clock whose epoch is known is no news, and
 * learning it again costs one comparison. (A bounded clock may break it by
 * forgetting; then a party knows less than it could, never more.)
 *
 * Not for concurrent use: the caller serialises. Allocates.
 */
#ifndef DH_CLOCK_ORDER_H
#define DH_CLOCK_ORDER_H

#include "base/map.h"
#include "base/vec.h"
#include "clock/bounded.h"
#include "clock/epoch.h"
#include "clock/vc.h"

enum dh_relation { DH_STRONG, DH_WEAK, DH_RELATIONS };

struct dh_know {
	struct dh_vc *vc;           /* unused where bounded is not NULL */
	struct dh_bounded *bounded; /* weak relation under a clock limit */
	uint32_t version;           /* raised when the party learns something new in
				       this relation, and when it publishes in it */
	uint32_t published;         /* raised when it publishes in this relation */
};

struct dh_party {
	uint32_t id;    /* dense, in the order of first appearance */
	uint32_t slot;
	uint32_t clock; /* the scalar, >= 1 */
	bool joined;    /* its slot has been given back */
	struct dh_know know[DH_RELATIONS];
};

/* What a mutex carries: the last writer's knowledge and epoch, by reference, so
 * that a release costs no copy; and what readers left since. Strong only. */
struct dh_order_lock {
	struct dh_vc *writer;
	uint32_t slot;
	uint32_t clock; /* 0: never released in write mode */
	struct dh_vc *readers;
};

/* What all senders (or volatile writers) so far knew. */
struct dh_order_channel {
	struct dh_vc *sent[DH_RELATIONS];
};

/* One use of a barrier: what those who entered knew. Freed when the last who
 * entered has left and a new episode has begun. */
struct dh_order_episode {
	struct dh_vc *entered[DH_RELATIONS];
	uint32_t inside; /* entered and not yet left */
	bool left;       /* someone has left: the next to enter opens a new episode */
};

struct dh_order_config {
	bool relation[DH_RELATIONS]; /* which to keep */
	uint32_t clock_limit;        /* most entries of a weak clock; 0: no limit */
	uint32_t clock_max;          /* the scalar's last value; 0: DH_CLOCK_MAX */
};

struct dh_order {
	struct dh_order_config config;
	struct dh_vec(uint32_t) slot_last; /* by slot: last clock used, once given back */
	struct dh_vec(uint32_t) free_slots; /* given back, and with clock values left */
	struct dh_vec(struct dh_order_lock) locks;
	struct dh_vec(struct dh_order_channel) messages;
	struct dh_vec(struct dh_order_channel) volatiles;
	struct dh_vec(struct dh_order_episode *) barriers; /* the current episode */
	struct dh_map inside;    /* barrier and party -> episode it entered */
	uint64_t ticks;          /* scalar clocks advanced */
	uint64_t slots_reused;
	uint64_t slots_renewed;  /* parties given a new slot because their clock was full */
	uint64_t entries_dropped; /* that bounded clocks forgot */
};

void dh_order_init(struct dh_order *o, const struct dh_order_config *config);
void dh_order_free(struct dh_order *o);

/* Begins a party, zeroed by the caller but for its id. parent is NULL for one
 * that starts by itself; else this is the fork, and the parent publishes. */
void dh_order_start(struct dh_order *o, struct dh_party *p, struct dh_party *parent);

/* Gives back what the party holds; not its slot. */
void dh_order_end(struct dh_order *o, struct dh_party *p);

/* The party, whose last step was a publication, does nothing any more: its slot may be
 * used again, as after a join. */
void dh_order_retire(struct dh_order *o, struct dh_party *p);

/* What a lock, message, or (neither) volatile carries is no more. */
void dh_order_forget(struct dh_order *o, bool lock, bool message, uint32_t number);

/* p has seen child end. May come more than once for one child. */
void dh_order_join(struct dh_order *o, struct dh_party *p, struct dh_party *child);

/* Locks; write is false for read mode. Outermost acquire and release only. */
void dh_order_acquire(struct dh_order *o, struct dh_party *p, uint32_t lock, bool write);
void dh_order_release(struct dh_order *o, struct dh_party *p, uint32_t lock, bool write);

void dh_order_send(struct dh_order *o, struct dh_party *p, uint32_t message);
void dh_order_receive(struct dh_order *o, struct dh_party *p, uint32_t message);
void dh_order_volatile_write(struct dh_order *o, struct dh_party *p, uint32_t var);
void dh_order_volatile_read(struct dh_order *o, struct dh_party *p, uint32_t var);

/* Barriers. A leave belongs to the episode which that party entered (the current
 * one where it entered none). An episode is closed by its first leave; dh_order_
 * barrier_leave() returns true for that one. */
void dh_order_barrier_enter(struct dh_order *o, struct dh_party *p, uint32_t barrier);
bool dh_order_barrier_leave(struct dh_order *o, struct dh_party *p, uint32_t barrier);

/* What p knows of a slot in a relation (its own: the scalar). */
DH_INLINE uint32_t dh_order_knows(const struct dh_party *p, enum dh_relation r,
				  uint32_t slot)
{
	if (slot == p->slot)
		return p->clock;
	const struct dh_know *k = &p->know[r];
	return DH_UNLIKELY(k->bounded != NULL) ? dh_bounded_get(k->bounded, slot)
					       : dh_vc_get(k->vc, slot);
}

/* Is everything that was done in (slot, clock) ordered before p's next step? */
DH_INLINE bool dh_order_before(const struct dh_party *p, enum dh_relation r,
			       uint32_t slot, uint32_t clock)
{
	return dh_order_knows(p, r, slot) >= clock;
}

DH_INLINE bool dh_order_epoch_before(const struct dh_party *p, enum dh_relation r,
				     dh_epoch e)
{
	return dh_order_before(p, r, dh_epoch_slot(e), dh_epoch_clock(e));
}

#endif
