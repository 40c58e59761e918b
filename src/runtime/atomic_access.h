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

#include "runtime/access.h"

/* The cell of an aligned access where it is at hand; NULL else. */
DH_INLINE struct dh_cell *dh_atomic_cell(uintptr_t addr, unsigned size)
{
	return DH_LIKELY(addr % size == 0) ? dh_flat_cell(addr, 0) : NULL;
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

/* Is the access a repeat in its time frame, and so done? Then the thread is watched, too.
 * Nothing but loads. */
DH_INLINE bool dh_atomic_repeats(const struct dh_self *t, uintptr_t addr, unsigned size,
				 bool write)
{
	const struct dh_cell *c = dh_atomic_cell(addr, size);
	return DH_LIKELY(c != NULL) &&
	       dh_cell_repeats(c, t->now | DH_ATOMIC_FLAG, dh_mask_of(addr, size), write);
}

/* A record of an atomic access to the same bytes. */
DH_INLINE bool dh_is_alike(dh_record r, dh_record rec)
{
	return ((r ^ rec) & (DH_ABSENT_FIELD | DH_ATOMIC_FLAG)) == 0 &&
	       !dh_record_is_tag(r);
}

/* Has the set an own record of this time frame for these bytes? A plain one will do. */
DH_INLINE bool dh_set_has(dh_record word, dh_record rec)
{
	const struct dh_set *s = dh_sets_get(word);
	const uint64_t need = dh_record_need(dh_record_mask(rec)) & ~DH_ATOMIC_FLAG;
	for (uint32_t i = 0; i < s->count; i++)
		if (((s->at[i] ^ rec) & need) == 0)
			return true;
	return false;
}

/* What a cell's write becomes with an atomic one, if it is atomic itself and for the same
 * bytes, or a set. One that is not ordered stays beside it, as long as sets of these pay
 * (writers.c). 0: the slow path decides. */
DH_INLINE dh_record dh_atomic_beside(const struct dh_self *t, dh_record write,
				     dh_record rec)
{
	if (!write || dh_is_ordered(t->vc, write))
		return rec;
	if (!dh_record_is_tag(write) && !dh_sets_worth(&t->state->atomic_sets))
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
				     uint64_t pc)
{
	uint32_t site = dh_site_at_hand(t, pc);
	dh_record write = DH_LOAD(&c->write), read = DH_LOAD(&c->read);
	bool own = dh_record_own(write, rec);
	bool kept = dh_record_is_kept(read) && dh_is_ordered(t->vc, read);
	if (dh_sets_is_set(write) && dh_set_has(write, rec))
		return true;
	if (!site || (write && !dh_is_alike(write, rec) && !dh_sets_is_set(write)) ||
	    (read && !dh_is_alike(read, rec) && !kept))
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

/* size is 1, 2, 4 or 8, and a constant where these are used. */
DH_INLINE void dh_atomic_read(uintptr_t addr, unsigned size, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	struct dh_cell *c = dh_atomic_cell(addr, size);
	unsigned flags = 0, mask = dh_mask_of(addr, size);
	if (DH_UNLIKELY(!t->simply)) {
		dh_atomic_general(addr, size, 0, pc);
		return;
	}
	if (DH_LIKELY(c != NULL)) {
		dh_record rec = dh_record_make(t->now, mask, true, 0), read;
		if (dh_cell_repeats(c, t->now | DH_ATOMIC_FLAG, mask, false))
			return;
		enum dh_first f = dh_first_read(t, c, addr, &rec, &read, mask, 0, true,
						DH_SITES_ALL, pc);
		if (DH_LIKELY(f == DH_FIRST_DONE))
			return;
		flags = dh_first_flags(f);
	}
	dh_atomic_general(addr, size, flags, pc);
}

DH_INLINE void dh_atomic_write(uintptr_t addr, unsigned size, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	struct dh_cell *c = dh_atomic_cell(addr, size);
	unsigned mask = dh_mask_of(addr, size);
	if (DH_UNLIKELY(!t->simply)) {
		dh_atomic_general(addr, size, DH_ACCESS_WRITE, pc);
		return;
	}
	if (DH_LIKELY(c != NULL)) {
		dh_record rec = dh_record_make(t->now, mask, true, 0);
		if (dh_cell_repeats(c, t->now | DH_ATOMIC_FLAG, mask, true))
			return;
		if (DH_LIKELY(dh_first_atomic_write(t, c, rec, pc)))
			return;
	}
	dh_atomic_general(addr, size, DH_ACCESS_WRITE, pc);
}

#endif
