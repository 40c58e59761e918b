/* SPDX-License-Identifier: MIT */
/*
 * An access on its way through the slow path: what access.c, readers.c and split.c hand
 * to each other. Invariants of cells are at the top of access.c.
 *
 * Context: the thread is `inside` the runtime.
 */
#ifndef DH_RUNTIME_ATTEMPT_H
#define DH_RUNTIME_ATTEMPT_H

#include "runtime/access.h"

struct dh_attempt {
	struct dh_self *self;
	uintptr_t granule;
	unsigned mask;	/* bytes of the granule */
	uintptr_t unit; /* address and level of the cell at hand */
	unsigned level;
	unsigned flags; /* enum dh_access_flags */
	dh_record rec;	/* 0: not made yet */
	bool raced;	/* it was reported */
	bool again;	/* its record is in the granule's cell, but it was not judged */
	uint64_t pc;
};

enum dh_outcome { DH_OUTCOME_DONE, DH_OUTCOME_SPLIT, DH_OUTCOME_OTHER };

DH_INLINE bool dh_attempt_after(const struct dh_attempt *a, dh_record r)
{
	return dh_is_ordered(a->self->vc, r);
}

/* Is the access of the cell's whole unit, as all its records are? */
DH_INLINE bool dh_attempt_fine(const struct dh_attempt *a)
{
	return a->level > 0;
}

/* The access over the one of the cell's word, which becomes its elder (elders.h): that is done,
 * or the granule is better split, or (OTHER) it cannot be so, or the word has changed. */
enum dh_outcome dh_attempt_over(const struct dh_attempt *a, dh_record *word, dh_record old);

/* ---- reads (readers.c) ---- */

/* The place that has a record of the same slot and kind, or else one for it; NULL where
 * there is none. */
dh_record *dh_place_in_crowd(struct dh_crowd *c, dh_record rec);

/* The reads of a cell, once nobody is about to change their form. */
dh_record dh_reads_settled(const struct dh_cell *c);

/* The records of a word of the cell at hand, but for dh_sets_site(); some may be 0. They
 * are put into room where the word is a record itself, or they are in the cell's own
 * places. write: the word is that of its writes. */
const dh_record *dh_reads_items(const struct dh_attempt *a, dh_record word, bool write,
				dh_record room[DH_OWN_PLACES], uint32_t *count);

/* Puts the record into a place of the cell's own that is free, and gives *word, the
 * cell's reads, its bit. False: they have changed meanwhile. */
bool dh_place_take(struct dh_cell *c, dh_record *word, dh_record *places, unsigned i,
		   dh_record rec);

/* Are the reads of a granule's cell in its own places, and all ordered before the present?
 * (shared_reads.c) */
bool dh_places_ordered(const struct dh_self *t, uintptr_t granule, dh_record word);

/* The record of the thread's slot among a crowd of readers, if there is one of this kind;
 * else 0. */
dh_record dh_reads_own(const struct dh_attempt *a, bool atomic);

/* The bytes that the records of a word of the cell are for, all together; and, of several,
 * the level whose cells tell them apart. */
unsigned dh_reads_mask(const struct dh_attempt *a, dh_record word);
unsigned dh_reads_level_of(const struct dh_attempt *a, dh_record word);

/* Are all records of the word, one or a set, for these bytes? */
bool dh_reads_alike(dh_record word, unsigned mask);

/* Of a task in a lane: has one of the lane a record that stands for a plain read of these
 * bytes? (shared_reads.c) */
bool dh_reads_stand(struct dh_self *t, const struct dh_cell *c, uintptr_t granule,
		    unsigned mask, unsigned level);

/* One record for the read and another one that it dh_blends() with; 0 where there is none.
 * The thread need not be `inside`. (shared_reads.c) */
dh_record dh_reads_together(struct dh_self *t, dh_record old, dh_record rec);

/* Does a plain read make an earlier one of the same thread superfluous? */
DH_INLINE bool dh_read_after(dh_record later, dh_record r, unsigned level)
{
	return dh_record_own(r, later) && !dh_record_atomic(later) &&
	       !dh_keeps(r, dh_record_mask(later), level);
}

/* Makes the record visible among the reads. */
enum dh_outcome dh_reads_add(struct dh_attempt *a, struct dh_cell *c);

/* A granule that was split already had to be split further for the access, a read. */
void dh_reads_resplit(const struct dh_attempt *a);

/* The reads of a cell as a word that stands for itself, to be put elsewhere. */
dh_record dh_reads_portable(dh_record word, uintptr_t unit, unsigned level);

/* Is what p counts worth making? Where it is not, it is tried anew now and then. And one
 * more was made, which counts for so many. */
bool dh_pays(struct dh_set_pay *p);
void dh_pay_for(struct dh_set_pay *p, uint32_t cost);

/* Do sets pay, so that one more may be made? Or, before anybody asks that, is it known that
 * they do not? And what came of making one. */
bool dh_sets_pay(struct dh_set_pay *p, enum dh_worth worth);
bool dh_sets_never_pay(struct dh_set_pay *p);
void dh_sets_made(struct dh_set_pay *p, dh_record made, bool fresh);

/* The bytes that the thread has records of in a set, of this time frame. */
unsigned dh_sets_own(const struct dh_self *t, dh_record word);

/* Notes at m in one of the thread's memos that adding the record to the old word gives
 * this. */
void dh_memo_note(struct dh_self *t, struct dh_set_memo **memo, struct dh_set_memo *m,
		  dh_record old, dh_record rec, dh_record made);

/* ---- writes (writers.c) ---- */

/* The writes of a cell, not split, with this one as the last; 0 where the granule has to
 * be split for that. */
dh_record dh_writes_with(struct dh_attempt *a, dh_record old);

/* ---- splitting (split.c) ---- */

/* The word that says how a granule is split, once nobody is splitting it; 0: it is not. */
dh_record dh_split_settled(const struct dh_cell *c);

/* Splits the granule so far that the access fits; returns the word that says how it is
 * split then, or 0 where there is no memory for the finer cells. */
dh_record dh_split(const struct dh_attempt *a, struct dh_cell *c);

/* The same at once for a plain write of some bytes where the cell has one write, and reads
 * without places, that it comes after: its record, rec, is in the parts then. False:
 * nothing was done. The thread need not be `inside`. */
bool dh_split_write(struct dh_self *t, struct dh_cell *c, uintptr_t granule,
		    dh_record write, dh_record rec);

/* Is what the parts of a granule that is split so hold ordered before the present? Then
 * their end is that of the granule's being split, too. Not of other words. */
bool dh_split_ordered(struct dh_self *t, dh_record split);

/* A split granule becomes one again by a write of all of it, with this record, that comes
 * after everything in its parts. What is filled before each use, and then read and written
 * here and there, stays in one piece so. Who puts a record into a part meanwhile finds
 * that it is split no longer (dh_still_split). False: it stays split. */
bool dh_split_join(struct dh_self *t, struct dh_cell *c, dh_record split, dh_record rec);

/* Sends all accesses to the granule by the slow path; and no longer. */
void dh_split_watch(const struct dh_attempt *a, struct dh_cell *c);
void dh_split_unwatch(struct dh_cell *c);

/* The level whose cells tell the records of a word of the cell apart. */
DH_INLINE unsigned dh_reads_level(const struct dh_attempt *a, dh_record word)
{
	if (dh_record_is_tag(word))
		return dh_reads_level_of(a, word);
	return word && !dh_record_is_kept(word) ? dh_split_level(dh_record_mask(word)) : 1;
}

#endif
