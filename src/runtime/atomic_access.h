/* SPDX-License-Identifier: MIT */
/*
 * The access check of an atomic operation: it conflicts with plain accesses of other
 * threads, not with atomic ones. The common cases as in access.h, everything else by
 * its slow path.
 *
 * Context: any thread that runs code of the program, not `inside` the runtime.
 */
#ifndef DH_RUNTIME_ATOMIC_ACCESS_H
#define DH_RUNTIME_ATOMIC_ACCESS_H

#include "runtime/aligned.h"

/* The cell of an aligned access where it is at hand: its granule's, or its own in a granule
 * that is split as the access is, of *level; NULL else. */
DH_INLINE struct dh_cell *dh_atomic_cell(uintptr_t addr, unsigned size, unsigned *level)
{
	const unsigned fine = dh_fine_level(size);
	struct dh_cell *c = DH_LIKELY(addr % size == 0) ? dh_flat_cell(addr) : NULL;
	*level = 0;
	const dh_record last = c ? DH_LOAD(&c->write) : 0;
	if (!dh_is_split(last, fine))
		return c;
	*level = fine;
	return dh_split_cell(last, addr, fine);
}

DH_INLINE void dh_atomic_general(uintptr_t addr, unsigned size, unsigned flags,
				 uint64_t pc)
{
	if (DH_LIKELY(addr % size == 0 && size <= DH_GRANULE))
		dh_access_slow(addr, dh_mask_of(addr, size), flags | DH_ACCESS_ATOMIC,
			       pc);
	else
		dh_access_range(addr, size, flags | DH_ACCESS_ATOMIC, pc);
}

/* ---- repeats ---- */

/* What a thread notes a set by in which it has a record that stands for an atomic access:
 * a plain one does so, too, and is noted by the set's own key. */
DH_INLINE dh_record dh_atomic_key(dh_record word)
{
	return dh_sets_key(word) | 1;
}

/* Is the record one of the time frame, plain or atomic, for all bytes of the mask? */
DH_INLINE bool dh_stands_for_atomic(dh_record r, uint64_t now, unsigned mask)
{
	return ((r ^ now) & dh_record_need(mask) & ~DH_ATOMIC_FLAG) == 0;
}

/* Has the word, a record or a set that is known, one of these? */
DH_INLINE bool dh_word_has_atomic(const struct dh_self *t, dh_record word, unsigned mask)
{
	return dh_stands_for_atomic(word, t->now, mask) ||
	       (DH_UNLIKELY(dh_record_is_tag(word)) &&
		dh_known_by(t, dh_atomic_key(word), t->now, mask));
}

/* Is the access a repeat in its time frame, and so done? Then the thread is watched, too.
 * Nothing but loads. */
DH_INLINE bool dh_atomic_repeats(const struct dh_self *t, uintptr_t addr, unsigned size,
				 bool write)
{
	unsigned level;
	const struct dh_cell *c = dh_atomic_cell(addr, size, &level);
	const unsigned mask = dh_level_mask(dh_mask_of(addr, size), level);
	return DH_LIKELY(c && t->now) &&
	       ((!write && dh_word_has_atomic(t, DH_LOAD(&c->read), mask)) ||
		dh_word_has_atomic(t, DH_LOAD(&c->write), mask));
}

/* Has a set one of these? From now on the thread knows. */
DH_INLINE bool dh_set_has_atomic(struct dh_self *t, dh_record word, unsigned mask)
{
	if (DH_LIKELY(!dh_sets_is_set(word)))
		return false;
	const struct dh_set *s = dh_sets_get(word);
	unsigned own = 0;
	for (uint32_t i = 0; i < s->count; i++)
		if (dh_stands_for_atomic(s->at[i], t->now, 0))
			own |= dh_record_mask(s->at[i]);
	if (!own || (mask & ~own))
		return false;
	if (!t->state->handler_count)
		dh_note_known_by(t, dh_atomic_key(word), t->now, own);
	return true;
}

/* The same question as dh_atomic_repeats(), where sets are looked through. */
DH_INLINE bool dh_atomic_is_there(struct dh_self *t, const struct dh_cell *c,
				  unsigned mask, bool write)
{
	return (!write && (dh_word_has_atomic(t, DH_LOAD(&c->read), mask) ||
			   dh_set_has_atomic(t, DH_LOAD(&c->read), mask))) ||
	       dh_word_has_atomic(t, DH_LOAD(&c->write), mask) ||
	       dh_set_has_atomic(t, DH_LOAD(&c->write), mask);
}

/* ---- first accesses ---- */

/* A record of an atomic access to the same bytes. */
DH_INLINE bool dh_is_alike(dh_record r, dh_record rec, unsigned level)
{
	const uint64_t same = DH_ATOMIC_FLAG | (level ? 0 : DH_ABSENT_FIELD);
	return ((r ^ rec) & same) == 0 && !dh_record_is_tag(r);
}

/* What a cell's write becomes with an atomic one, if it is atomic itself and for the same
 * bytes, or a set. One that is not ordered stays beside it, as long as sets of these pay
 * (writers.c). 0: the slow path decides. */
DH_INLINE dh_record dh_atomic_beside(const struct dh_self *t, dh_record write,
				     dh_record rec)
{
	if (!write || dh_is_ordered(t->vc, write))
		return rec;
	if (!dh_record_is_tag(write) && !dh_sets_worth(&t->state->atomic_sets, DH_WORTH))
		return rec;
	const struct dh_set_memo *m = dh_write_memo_of(t, write, rec);
	dh_record made = m->made;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (m->old != write || m->rec != rec)
		return 0;
	t->state->atomic_sets.hits++;
	return made;
}

/* The first atomic write of a time frame where the cell knows nothing but atomic
 * accesses to the same bytes: no order is asked of those. The thread's own are renewed
 * as in access.h. Reads stay unless they are ordered before this; so does a plain write
 * that is kept in their place. False where there is more: then the slow path decides. */
DH_INLINE bool dh_first_atomic_write(struct dh_self *t, struct dh_cell *c, dh_record rec,
				     unsigned level, uint64_t pc)
{
	uint32_t site = dh_site_at_hand(t, pc);
	dh_record write = DH_LOAD(&c->write), read = DH_LOAD(&c->read);
	bool own = dh_record_own(write, rec);
	bool kept = dh_record_is_kept(read) && dh_is_ordered(t->vc, read);
	if (!site ||
	    (write && !dh_is_alike(write, rec, level) && !dh_sets_is_set(write)) ||
	    (read && !dh_is_alike(read, rec, level) && !kept))
		return false;
	t->dirty = true;
	if (own && (!read || dh_record_own(read, rec))) {
		DH_STORE(&c->write, rec | site);
		return true;
	}
	dh_record new = dh_atomic_beside(t, write, rec | site);
	if (!new || !DH_SWAP(&c->write, write, new) || DH_LOAD(&c->read) != read)
		return false;
	if (read && !kept && dh_is_ordered(t->vc, read))
		DH_STORE(&c->read, 0);
	return true;
}

/* Where the access of that cell went wrong, or its granule is split so no longer: flags for
 * the slow path. */
DH_INLINE unsigned dh_atomic_flags(enum dh_first f)
{
	return f == DH_FIRST_DONE ? DH_ACCESS_AGAIN : dh_first_flags(f);
}

/* size is 1, 2, 4 or 8, and a constant where these are used. */
DH_INLINE void dh_atomic_read(uintptr_t addr, unsigned size, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	unsigned flags = 0, level, mask = dh_mask_of(addr, size);
	struct dh_cell *c = dh_atomic_cell(addr, size, &level);
	if (DH_UNLIKELY(!t->simply)) {
		dh_atomic_general(addr, size, 0, pc);
		return;
	}
	if (DH_LIKELY(c != NULL)) {
		dh_record rec = dh_record_make(t->now, mask, true, 0), read;
		if (dh_atomic_is_there(t, c, dh_level_mask(mask, level), false))
			return;
		enum dh_first f = dh_first_read(t, c, addr, &rec, &read, mask, level,
						true, DH_SITES_ALL, pc);
		if (DH_LIKELY(f == DH_FIRST_DONE) &&
		    (!level || dh_still_split(addr, level)))
			return;
		flags = dh_atomic_flags(f);
	}
	dh_atomic_general(addr, size, flags, pc);
}

DH_INLINE void dh_atomic_write(uintptr_t addr, unsigned size, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	unsigned flags = 0, level, mask = dh_mask_of(addr, size);
	struct dh_cell *c = dh_atomic_cell(addr, size, &level);
	if (DH_UNLIKELY(!t->simply)) {
		dh_atomic_general(addr, size, DH_ACCESS_WRITE, pc);
		return;
	}
	if (DH_LIKELY(c != NULL)) {
		dh_record rec = dh_record_make(t->now, mask, true, 0);
		if (dh_atomic_is_there(t, c, dh_level_mask(mask, level), true))
			return;
		if (DH_LIKELY(dh_first_atomic_write(t, c, rec, level, pc))) {
			if (!level || dh_still_split(addr, level))
				return;
			flags = DH_ACCESS_AGAIN;
		}
	}
	dh_atomic_general(addr, size, flags | DH_ACCESS_WRITE, pc);
}

#endif
