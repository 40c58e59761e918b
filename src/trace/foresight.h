/* SPDX-License-Identifier: MIT */
/*
 * What a thread will record next: most records follow the one that they followed the last
 * time, and are of an address as far from their last one as that was from the one before
 * (loops over arrays, one lock taken again and again). Those need not be written down:
 * who writes them (runtime/record) and who reads them (record/expand.h) both keep this
 * state, and a count of records that came as foreseen is enough.
 *
 * Only records without payload take part; all others leave the state as it is.
 *
 * One thread. Zero-initialised is the start. Allocates nothing.
 */
#ifndef DH_TRACE_FORESIGHT_H
#define DH_TRACE_FORESIGHT_H

#include "trace/ring.h"

enum { DH_FORESIGHT_SLOTS = 512 };

/* By the head of records: kind, size and place. */
struct dh_foresight_slot {
	uint64_t head;
	uint64_t last;	/* object of the last such record */
	uint64_t step;	/* from there to the next one's */
	uint64_t other; /* the last step there was; taken over when it comes twice */
	uint64_t next;	/* the slot of the record that came after it */
};

struct dh_foresight {
	uint64_t at;		     /* the slot of the last record */
	uint64_t head, object; /* what is expected, */
	uint64_t next;	       /* and its slot */
	struct dh_foresight_slot slots[DH_FORESIGHT_SLOTS];
};

/* The record of this slot has come: what will be next? */
DH_INLINE void dh_foresight_turn(struct dh_foresight *f, uint64_t at)
{
	uint64_t next = f->slots[at].next;
	const struct dh_foresight_slot *s = &f->slots[next];
	f->at = at;
	f->head = s->head;
	f->object = s->last + s->step;
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* else gcc stores them in one, later */
	f->next = next;
}

/* Is this what was expected? If so, it has come. */
DH_INLINE bool dh_foresight_met(struct dh_foresight *f, uint64_t head, uint64_t object)
{
	if (f->head != head || f->object != object)
		return false;
	f->slots[f->next].last = object;
	dh_foresight_turn(f, f->next);
	return true;
}

/* It was not, and this has come instead. */
DH_INLINE void dh_foresight_learn(struct dh_foresight *f, uint64_t head, uint64_t object)
{
	uint64_t at = dh_mix(head) % DH_FORESIGHT_SLOTS, step;
	struct dh_foresight_slot *s = &f->slots[at];
	f->slots[f->at].next = at;
	step = object - s->last;
	if (s->head != head)
		*s = (struct dh_foresight_slot){.head = head, .next = s->next};
	else if (step == s->other)
		s->step = step;
	else
		s->other = step;
	s->last = object;
	dh_foresight_turn(f, at);
}

/* What comes next, as expected. */
DH_INLINE struct dh_raw dh_foresight_take(struct dh_foresight *f)
{
	struct dh_raw r = {f->head, f->object};
	f->slots[f->next].last = f->object;
	dh_foresight_turn(f, f->next);
	return r;
}

#endif
