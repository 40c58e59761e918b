/* SPDX-License-Identifier: MIT */
/*
 * An access that finds one of the thread's own, to other bytes of the granule, in the simplest
 * cases: of the same time frame, where their blend is known (blend.h), or no other bytes are
 * left; or of an earlier one, which becomes its elder (elders.h), and there are words for that.
 * A step of those in aligned.h. Plain stores, as for all that is the thread's own.
 */
#ifndef DH_RUNTIME_OVER_H
#define DH_RUNTIME_OVER_H

#include "runtime/aligned.h"
#include "runtime/elders.h"

/* Makes the thread's own record, old, the first elder of rec. False: nothing was done. */
DH_INLINE bool dh_own_elder(const struct dh_self *t, uintptr_t granule, dh_record old,
			    dh_record rec, bool write)
{
	const unsigned mask = dh_record_mask(rec);
	dh_record *first = dh_flat_elder(granule, write), *bytes = NULL;
	if (DH_UNLIKELY(!first) || !dh_elder_pays(t, old, rec))
		return false;
	if (dh_elder_lasts(first, old, mask)) {
		bytes = dh_flat_elder_bytes(granule, write);
		if (dh_elders_often(t, granule) || DH_UNLIKELY(!bytes))
			return false;
		dh_elders_note(t, granule);
	}
	dh_elder_put(first, bytes, old, mask);
	return true;
}

/* What comes of the access, rec, to the bytes in the mask, and the thread's own of other bytes
 * that a word of the cell has. 0: nothing was done. Of the same time frame: */
DH_INLINE dh_record dh_own_more(const struct dh_self *t, dh_record old, dh_record rec,
				unsigned mask, bool write)
{
	if (dh_record_atomic(old))
		return 0;
	if (!dh_record_beyond(old, mask))
		return rec;
	if (dh_record_joins(old, rec))
		return dh_elder_note(t, old, dh_record_joined(old, rec));
	const dh_record made = dh_blend_at_hand(t, old, rec);
	t->state->write_blends.hits += write && made;
	return made ? dh_elder_note(t, old, made) : 0;
}

/* Of that or an earlier one. */
DH_INLINE dh_record dh_own_with(const struct dh_self *t, uintptr_t granule, dh_record old,
				dh_record rec, unsigned mask, bool write)
{
	if (dh_record_same_epoch(old, rec))
		return dh_own_more(t, old, rec, mask, write);
	if (dh_record_atomic(old) || !dh_record_beyond(old, mask))
		return 0;
	if (!dh_elder_superfluous(old, mask) && !dh_own_elder(t, granule, old, rec, write))
		return 0;
	return rec | DH_ELDERS_FLAG;
}

/* Puts that into the word; more: it is of the same time frame. False: nothing was done. */
DH_INLINE bool dh_put_over(struct dh_self *t, uintptr_t addr, dh_record *word, dh_record old,
			   unsigned mask, bool write, bool more, uint32_t *site, uint64_t pc)
{
	if (DH_UNLIKELY(!dh_site_once(t, pc, site)))
		return false;
	const dh_record rec = dh_record_make(t->now, mask, false, *site);
	const dh_record made =
	    more ? dh_own_more(t, old, rec, mask, write)
		 : dh_own_with(t, addr & ~(uintptr_t)7, old, rec, mask, write);
	if (!made)
		return false;
	t->dirty = true;
	__atomic_store_n(word, made, __ATOMIC_RELEASE);
	return true;
}

/* Is the thread one for which this step is? */
DH_INLINE bool dh_goes_over(const struct dh_self *t, dh_record old)
{
	return t->simply && !t->alike && !t->kin && dh_record_own(old, t->now);
}

/* more: what the cell has is of the thread's present time frame (dh_is_more). Then elders are not
 * wanted, nor a stack frame. False: nothing was done. */
DH_INLINE bool dh_read_over(uintptr_t addr, unsigned mask, bool more, uint32_t *site, uint64_t pc,
			    const struct dh_seen *s)
{
	struct dh_self *t = dh_thread_base();
	return dh_goes_over(t, s->read) && dh_is_ordered(t->vc, s->write) &&
	       dh_put_over(t, addr, &s->c->read, s->read, mask, false, more, site, pc);
}

DH_INLINE bool dh_write_over(uintptr_t addr, unsigned mask, bool more, uint32_t *site, uint64_t pc,
			     const struct dh_seen *s)
{
	struct dh_self *t = dh_thread_base();
	const dh_record read = DH_LOAD(&s->c->read);
	return dh_goes_over(t, s->write) && (!read || dh_record_own(read, t->now)) &&
	       dh_put_over(t, addr, &s->c->write, s->write, mask, true, more, site, pc);
}

/* Is this the first step for an access to a part of a granule that is no repeat? */
DH_INLINE bool dh_is_more(const struct dh_seen *s, unsigned size, bool write)
{
	return size < DH_GRANULE &&
	       dh_record_same_epoch(write ? s->write : s->read, dh_thread_self()->now);
}

#endif
