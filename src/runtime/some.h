/* SPDX-License-Identifier: MIT */
/*
 * Some bytes of one granule, at any offset: the end of a range, or an access that is not aligned.
 * What can be done in few steps, of those in aligned.h.
 */
#ifndef DH_RUNTIME_SOME_H
#define DH_RUNTIME_SOME_H

#include "runtime/over.h"

/* Where one record of each kind is all that there is, or the thread has a place of its own, or it
 * is a repeat. addr is in the granule; *site as in dh_site_once(). False: nothing was done. */
DH_INLINE bool dh_some_simply(struct dh_self *t, uintptr_t addr, unsigned mask, bool write,
			      uint32_t *site, uint64_t pc)
{
	struct dh_cell *c = dh_flat_cell(addr);
	if (!c)
		return false;
	if (dh_cell_repeats(c, t->now, mask, write))
		return true;
	const struct dh_seen s = {c, c, DH_LOAD(&c->read), DH_LOAD(&c->write)};
	if (write)
		return dh_simple_write(t, &s, mask, 0, site, pc) ||
		       dh_write_over(addr, mask, false, site, pc, &s) ||
		       (!dh_record_is_tag(s.write) &&
			dh_write_after(addr, mask, site, pc, &s));
	if (t->alike)
		return false;
	if (dh_record_is_tag(s.read))
		return dh_read_in_own_place(c, addr, mask, 0, pc);
	if (dh_record_is_tag(s.write))
		return s.write == dh_tag(DH_TAG_CONST);
	enum dh_first f = dh_simple_read(t, &s, mask, 0, site, pc);
	if (DH_UNLIKELY(f == DH_FIRST_MET))
		dh_access_slow(addr, mask, DH_ACCESS_AGAIN, pc);
	return f != DH_FIRST_NOT || dh_read_over(addr, mask, false, site, pc, &s);
}

/* From addr on, up to stop in the same granule. */
DH_INLINE void dh_some_access(struct dh_self *t, uintptr_t addr, uintptr_t stop, unsigned flags,
			      uint32_t *site, uint64_t pc)
{
	const unsigned mask = dh_mask_of(addr, (unsigned)(stop - addr));
	if (!dh_some_simply(t, addr, mask, flags & DH_ACCESS_WRITE, site, pc))
		dh_access_some(addr & ~(uintptr_t)7, mask, flags, pc);
}

#endif
