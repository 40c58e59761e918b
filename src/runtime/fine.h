/* SPDX-License-Identifier: MIT */
/*
 * The first access of its time frame in a cell of a part of a granule (shadow.h), which
 * is as large as the access is: a step between those of aligned.h, where it comes after
 * what the cell holds. All records there are for the same bytes, and the cell is that of
 * an array whose elements have been written one by one, so it is hardly ever empty: what
 * is left is short enough to be worth writing by itself.
 */
#ifndef DH_RUNTIME_FINE_H
#define DH_RUNTIME_FINE_H

#include "runtime/aligned.h"

/* The record of an aligned access. */
DH_INLINE dh_record dh_fine_record(const struct dh_self *t, uintptr_t addr, unsigned size,
				   uint32_t site)
{
	return t->now | (DH_ABSENT_FIELD & ~dh_need_of(addr, size)) | site;
}

/* The access has its record in the cell. met: somebody else came there at the same time;
 * or the granule may have become one again meanwhile. Then it has to be judged. */
DH_INLINE void dh_fine_end(uintptr_t addr, unsigned size, unsigned flags, uint64_t pc,
			   const struct dh_seen *s, bool met)
{
	if (DH_UNLIKELY(met) ||
	    DH_UNLIKELY(!dh_is_split(DH_LOAD(&s->granule->write), dh_fine_level(size))))
		dh_access_slow(addr, dh_mask_of(addr, size), DH_ACCESS_AGAIN | flags, pc);
}

/* False: nothing was done. */
DH_INLINE bool dh_fine_read(uintptr_t addr, unsigned size, uint64_t pc,
			    const struct dh_seen *s)
{
	struct dh_self *t = dh_thread_base();
	const dh_record read = s->read, write = s->write;
	const bool own = dh_record_same_slot(read ? read : write, t->now);
	if (DH_UNLIKELY(!t->simply))
		return false;
	if (DH_UNLIKELY(t->alike))
		return dh_lane_has_read(t, s, 0);
	if (!(read | write) || !dh_is_ordered(t->vc, write) ||
	    (!own && !dh_is_ordered(t->vc, read)))
		return false;
	const uint32_t site = dh_site_of(t, pc, DH_SITES_READY);
	if (DH_UNLIKELY(!site))
		return false;
	const dh_record rec = dh_fine_record(t, addr, size, site);
	bool met = false;
	t->dirty = true;
	if (own || DH_LOAD(&t->sole))
		DH_STORE(&s->c->read, rec);
	else {
		dh_record old = read;
		if (!DH_SWAP(&s->c->read, old, rec))
			return false;
		met = DH_LOAD(&s->c->write) != write;
	}
	dh_fine_end(addr, size, 0, pc, s, met);
	return true;
}

/* The same; s->read is not known yet. */
DH_INLINE bool dh_fine_write(uintptr_t addr, unsigned size, uint64_t pc,
			     const struct dh_seen *s)
{
	struct dh_self *t = dh_thread_base();
	const dh_record read = DH_LOAD(&s->c->read), write = s->write;
	const bool own = dh_record_own(write, t->now);
	if (DH_UNLIKELY(!t->simply))
		return false;
	if (read ? !dh_is_ordered(t->vc, read) && !dh_is_past(t, read) : !write)
		return false;
	if (!own && !dh_is_ordered(t->vc, write))
		return false;
	const uint32_t site = dh_site_of(t, pc, DH_SITES_READY);
	if (DH_UNLIKELY(!site))
		return false;
	const dh_record rec = dh_fine_record(t, addr, size, site);
	t->dirty = true;
	if (own || DH_LOAD(&t->sole))
		DH_STORE(&s->c->write, rec);
	else {
		dh_record old = write;
		if (!DH_SWAP(&s->c->write, old, rec))
			return false;
	}
	const bool met = DH_LOAD(&s->c->read) != read;
	if (read && DH_LIKELY(!met))
		DH_STORE(&s->c->read, 0);
	dh_fine_end(addr, size, DH_ACCESS_WRITE, pc, s, met);
	return true;
}

#endif
