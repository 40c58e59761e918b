/* SPDX-License-Identifier: MIT */
/*
 * Cells whose bytes were last written at different places. A loop that the compiler has
 * unrolled writes the two ints, or the eight bytes, of every granule of an array from as
 * many places; so does code that fills the fields of a structure. As with readers
 * (readers.c), the set of these records is the same for all cells that were written so,
 * and the step from one set to the next is in a memo of the thread. Where sets do not pay
 * (fields written under locks: each time a frame of its own), the granule is split; and
 * where halves or pairs of bytes tell all writes apart, since two or four cells in place
 * of one are cheaper than sets (struct of ints: 0.5 against 1.4 of ThreadSanitizer's
 * time); unless one record will do (blend.h), as for what one function fills in.
 *
 * And cells that several threads have written atomically, in no order: a set of these,
 * and of a plain write beneath them, as long as that pays.
 */
#include "runtime/attempt.h"
#include "runtime/blend.h"
#include "runtime/elders.h"
#include "runtime/sets.h"

/* Is there a write of some of the bytes that this one, an atomic one, does not stand for?
 * An atomic one that it does not come after may race with a plain access, a plain one
 * with another atomic access, where this one does not. */
static bool is_beside(const struct dh_attempt *a, dh_record old)
{
	dh_record place;
	uint32_t count;
	const dh_record *at = dh_sets_items(old, &place, &count);
	for (uint32_t i = 0; i < count; i++)
		if ((!dh_record_atomic(at[i]) || !dh_attempt_after(a, at[i])) &&
		    (dh_attempt_fine(a) || (dh_record_mask(at[i]) & a->mask)))
			return true;
	return false;
}

/* The set of these and this one, in a cell where all are for the same bytes. */
static dh_record put_beside(struct dh_attempt *a, dh_record old)
{
	enum { DEAR = 8 };
	struct dh_set_pay *pay = &a->self->state->atomic_sets;
	struct dh_set_memo *m = dh_write_memo_of(a->self, old, a->rec);
	const bool fine = dh_attempt_fine(a), noted = dh_reads_alike(old, a->mask);
	bool fresh;
	if (noted && m->old == old && m->rec == a->rec) {
		pay->hits++;
		return m->made;
	}
	dh_record made = dh_sets_add(old, a->rec, a->self->vc, fine, &fresh);
	dh_sets_made(pay, made, fresh);
	/* Of each frame of each thread, mostly, so that few are enough to tell. */
	if (fresh && dh_sets_is_set(made))
		pay->makes += DEAR * dh_sets_get(made)->count;
	if (noted)
		dh_memo_note(a->self, &a->self->state->write_memo, m, old, a->rec, made);
	return made;
}

/* One record for both, where that pays. What a coder puts out byte by byte, from many
 * places, is of a blend of its own in each granule, and of another one after each byte:
 * such granules are split instead. Not so for reads, which may be of several threads: each
 * would need a place in every part. */
static dh_record blended(struct dh_self *t, dh_record old, dh_record rec)
{
	struct dh_set_pay *pay = &t->state->write_blends;
	bool fresh;
	if (!dh_pays(pay))
		return dh_blend_at_hand(t, old, rec);
	dh_record made = dh_blend(t, old, rec, &fresh);
	if (fresh)
		dh_pay_for(pay, 1);
	else
		pay->hits++;
	return made;
}

dh_record dh_writes_with(struct dh_attempt *a, dh_record old)
{
	struct dh_thread_state *s = a->self->state;
	bool fresh;
	if (!old)
		return a->rec;
	if (a->flags & DH_ACCESS_ATOMIC)
		old = dh_elders_word(a->granule, old, true);
	if ((a->flags & DH_ACCESS_ATOMIC) && is_beside(a, old) &&
	    dh_sets_pay(&s->atomic_sets, DH_WORTH))
		return dh_attempt_fine(a) || dh_reads_alike(old, a->mask)
			   ? put_beside(a, old)
			   : 0;
	if (dh_attempt_fine(a))
		return a->rec;
	if (!dh_record_is_tag(old)) {
		if (!dh_record_beyond(old, a->mask))
			return a->rec;
		if (dh_record_joins(old, a->rec))
			return dh_record_joined(old, a->rec);
	}
	if (dh_sets_is_set(old) && dh_reads_alike(old, a->mask))
		return a->rec;
	dh_record one;
	if (!dh_record_is_tag(old) && dh_blends(old, a->rec) &&
	    (one = blended(a->self, old, a->rec)))
		return one;
	old = dh_elders_word(a->granule, old, true);
	unsigned level = DH_MAX(dh_split_level(a->mask), dh_reads_level(a, old));
	if (level <= 2)
		return 0;
	struct dh_set_memo *m = dh_write_memo_of(a->self, old, a->rec);
	if (m->old == old && m->rec == a->rec) {
		s->write_sets.hits++;
		return m->made;
	}
	if (!dh_sets_pay(&s->write_sets, DH_WORTH))
		return 0;
	dh_record made = dh_sets_put(old, a->rec, &fresh);
	dh_sets_made(&s->write_sets, made, fresh);
	dh_memo_note(a->self, &s->write_memo, m, old, a->rec, made);
	return made;
}

/* Together with the thread's other writes of this time frame. */
static enum dh_first write_blended(struct dh_self *t, struct dh_cell *c, dh_record rec,
				   dh_record found, dh_record read)
{
	if (!dh_all_ordered(t, read))
		return DH_FIRST_NOT;
	dh_enter_runtime(t);
	const dh_record new = blended(t, found, rec);
	dh_leave_runtime(t);
	if (!new || DH_LOAD(&c->write) != found)
		return DH_FIRST_NOT;
	DH_STORE(&c->write, new);
	return DH_LOAD(&c->read) == read ? DH_FIRST_DONE : DH_FIRST_MET;
}

/* After one of other bytes, which becomes its elder. */
static enum dh_first write_over(struct dh_self *t, struct dh_cell *c, uintptr_t granule,
				dh_record rec, dh_record found, dh_record read)
{
	if (dh_record_is_kept(read) || !dh_all_ordered(t, read) ||
	    !dh_elders_push(t, granule, &c->write, found, rec, true))
		return DH_FIRST_NOT;
	if (DH_LOAD(&c->read) != read)
		return DH_FIRST_MET;
	if (read && !dh_record_is_tag(read) && !dh_record_beyond(read, dh_record_mask(rec)))
		DH_STORE(&c->read, 0);
	return DH_FIRST_DONE;
}

/* What dh_writes_with() would come to after a look at everything: the granule is split. */
static bool write_splits(struct dh_self *t, struct dh_cell *c, uintptr_t granule,
			 dh_record rec, dh_record found)
{
	enum { BYTES = 3 };
	if (!found || dh_record_is_tag(found))
		return false;
	unsigned level = DH_MAX(dh_split_level(dh_record_mask(rec)),
				dh_split_level(dh_record_mask(found)));
	return (level < BYTES || dh_sets_never_pay(&t->state->write_sets)) &&
	       dh_split_write(t, c, granule, found, rec);
}

/* The fast path: the thread has done this step before, or the granule is split for it. */
enum dh_first dh_first_shared_write(struct dh_self *t, struct dh_cell *c,
				    uintptr_t granule, dh_record rec, dh_record found)
{
	dh_record read = DH_LOAD(&c->read);
	unsigned mask = dh_record_mask(rec);
	if (dh_sets_is_set(found)) {
		unsigned own = dh_sets_own(t, found);
		if (own && !(mask & ~own)) {
			if (!t->state->handler_count)
				dh_note_known(t, found, own);
			return DH_FIRST_DONE;
		}
	}
	if (dh_blends(found, rec))
		return write_blended(t, c, rec, found, read);
	if (dh_elders_may(t, found, rec) && dh_elders_fit(t, granule, found, rec))
		return write_over(t, c, granule, rec, found, read);
	if (dh_record_has_elders(found))
		return DH_FIRST_NOT;
	const struct dh_set_memo *m = dh_write_memo_of(t, found, rec);
	dh_record made = m->made;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (m->old != found || m->rec != rec)
		return write_splits(t, c, granule, rec, found) ? DH_FIRST_DONE
							       : DH_FIRST_NOT;
	if (!dh_all_ordered(t, found) || !dh_all_ordered(t, read))
		return DH_FIRST_NOT;
	t->state->write_sets.hits++;
	if (!DH_SWAP(&c->write, found, made))
		return DH_FIRST_NOT;
	return DH_LOAD(&c->read) == read ? DH_FIRST_DONE : DH_FIRST_MET;
}
