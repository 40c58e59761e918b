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
	uint64_t at; /* the slot of the last record */
	struct dh_foresight_slot slots[DH_FORESIGHT_SLOTS];
};

/* Is this what was expected? If so, it has come. */
DH_INLINE bool dh_foresight_met(struct dh_foresight *f, uint64_t head, uint64_t object)
{
	uint64_t next = f->slots[f->at].next;
	struct dh_foresight_slot *s = &f->slots[next];
	if (s->head != head || s->last + s->step != object)
		return false;
	s->last = object;
	f->at = next;
	return true;
}

/* It was not, and this has come instead. */
DH_INLINE void dh_foresight_learn(struct dh_foresight *f, uint64_t head, uint64_t object)
{
	uint64_t at = dh_mix(head) % DH_FORESIGHT_SLOTS, step;
	struct dh_foresight_slot *s = &f->slots[at];
	f->slots[f->at].next = at;
	f->at = at;
	step = object - s->last;
	if (s->head != head)
		*s = (struct dh_foresight_slot){.head = head, .next = s->next};
	else if (step == s->other)
		s->step = step;
	else
		s->other = step;
	s->last = object;
}

/* What comes next, as expected. */
DH_INLINE struct dh_raw dh_foresight_take(struct dh_foresight *f)
{
	f->at = f->slots[f->at].next;
	struct dh_foresight_slot *s = &f->slots[f->at];
	s->last += s->step;
	return (struct dh_raw){s->head, s->last};
}

#endif
