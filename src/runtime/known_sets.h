/* SPDX-License-Identifier: MIT */
/*
 * What a thread remembers of sets of records: in which of them it has its own record of the
 * present time frame, and for which bytes. A repeat in such a set is one look into a small
 * table of the thread's, and in the one that was met last it is a compare. And the same of
 * cells where readers have places of their own.
 *
 * Sets do not change, so what was once seen holds until the time frame ends. A place is the
 * thread's until somebody writes to the cell; who does so within this time frame is not
 * ordered, and has found the record there.
 *
 * Concurrency: the thread itself, and its signal handlers at any moment: who looks finds a
 * whole entry or none.
 */
#ifndef DH_RUNTIME_KNOWN_SETS_H
#define DH_RUNTIME_KNOWN_SETS_H

#include "runtime/sets.h"
#include "runtime/thread.h"

/* Has the thread noted that a set which goes by that key has a record of that time frame,
 * for all bytes of the mask? */
DH_INLINE bool dh_known_by(const struct dh_self *t, dh_record key, uint64_t at,
			   unsigned mask)
{
	const struct dh_known_set *k = dh_known_of(t, key);
	uint64_t when = k->when;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return k->word == key &&
	       ((when ^ (at | mask)) & (~(uint64_t)DH_WHOLE | mask)) == 0;
}

/* Does the set of reads have one of this thread, of that time frame and for all bytes of
 * the mask? True only if the thread has looked before. */
DH_INLINE bool dh_set_known_at(const struct dh_self *t, dh_record word, uint64_t at,
			       unsigned mask)
{
	return dh_known_by(t, dh_sets_key(word), at, mask);
}

DH_INLINE bool dh_set_known(const struct dh_self *t, dh_record word, unsigned mask)
{
	return dh_set_known_at(t, word, t->now, mask);
}

/* A word that stood for the thread's reads in that time frame, of all bytes, was met. */
DH_INLINE void dh_note_recent(struct dh_self *t, uint64_t now, dh_record word)
{
	t->recent = word & ~(dh_record)DH_RECORD_SITE_MAX;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (DH_UNLIKELY(t->now != now)) /* a handler has begun another frame */
		t->recent = DH_RECENT_NONE;
}

/* The same for all bytes; the set is then the one that was met last, */
DH_INLINE bool dh_set_met(struct dh_self *t, dh_record word)
{
	const uint64_t now = t->now;
	if (!dh_set_known_at(t, word, now, DH_WHOLE))
		return false;
	dh_note_recent(t, now, dh_sets_key(word));
	return true;
}

/* as which it is known by a compare. Not of 0, where nothing was ever met. */
DH_INLINE bool dh_set_recent(dh_record word)
{
	return (word ^ dh_thread_self()->recent) <= DH_RECORD_SITE_MAX;
}

/* What the reads of a lane in a set are known by. */
DH_INLINE uint64_t dh_lane_when(const struct dh_self *t)
{
	return (t->now & ~t->alike) | DH_ATOMIC_FLAG;
}

/* Records of these bytes are in the set: of the thread's time frame, or of its lane. */
DH_INLINE void dh_note_known_by(struct dh_self *t, dh_record key, uint64_t when,
				unsigned mask)
{
	struct dh_known_set *k = (struct dh_known_set *)dh_known_of(t, key);
	k->word = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	k->when = when | mask;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	k->word = key;
}

DH_INLINE void dh_note_known_at(struct dh_self *t, dh_record word, uint64_t when,
				unsigned mask)
{
	dh_note_known_by(t, dh_sets_key(word), when, mask);
}

DH_INLINE void dh_note_known(struct dh_self *t, dh_record word, unsigned mask)
{
	dh_note_known_at(t, word, t->now, mask);
}

DH_INLINE struct dh_known_cell *dh_known_cell_of(const struct dh_self *t,
						 const struct dh_cell *c)
{
	return &t->state->cells[(uintptr_t)c / sizeof *c % DH_KNOWN_CELLS];
}

/* Has the thread a place in the cell, whose reads are this, with a read of this time frame
 * and of all bytes? True only if it has looked before. */
DH_INLINE bool dh_cell_known(const struct dh_self *t, const struct dh_cell *c,
			     dh_record read)
{
	if (DH_UNLIKELY(!t->state))
		return false;
	const struct dh_known_cell *k = dh_known_cell_of(t, c);
	return k->cell == c && k->now == t->now && k->read == read;
}

/* It has. The thread is watched. */
DH_INLINE void dh_note_cell(const struct dh_self *t, const struct dh_cell *c,
			    dh_record read)
{
	struct dh_known_cell *k = dh_known_cell_of(t, c);
	if (t->state->handler_count)
		return;
	k->cell = NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	k->now = t->now;
	k->read = read;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	k->cell = c;
}

#endif
