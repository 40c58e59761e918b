/* SPDX-License-Identifier: MIT */
/*
 * Accesses at any offset, of at most eight bytes: to some bytes of a granule, or of two.
 * gcc has them told as ranges, clang as accesses that are not aligned.
 */
#ifndef DH_RUNTIME_LOOSE_H
#define DH_RUNTIME_LOOSE_H

#include "runtime/access.h"
#include "runtime/lines.h"

/* Is the access to some bytes of one granule a repeat? As dh_access_glance(); what is
 * read at any offset is often read by several threads, so their places count too. */
DH_INLINE bool dh_loose_repeats(uintptr_t addr, unsigned size, bool write)
{
	const uint64_t now = dh_thread_self()->now;
	const unsigned mask = dh_mask_of(addr, size);
	uintptr_t base = dh_flat_base(addr);
	if (DH_UNLIKELY(base <= 1))
		return false;
	const struct dh_cell *c = dh_flat_cell_at(base, addr);
	if (dh_cell_repeats(c, now, mask, write))
		return true;
	if (write)
		return false;
	dh_record read;
	const dh_record *place = dh_place_in(c, addr, now, 0, &read);
	return place ? dh_record_covers(DH_LOAD(place), now, mask)
		     : DH_LOAD(&c->write) == dh_tag(DH_TAG_CONST);
}

/* An access that is not aligned, to one granule or two, and no repeat by their cells. */
DH_INLINE void dh_loose_first(uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	const unsigned flags = write ? DH_ACCESS_WRITE : 0;
	if (size <= 8 - addr % 8)
		dh_access_some(addr & ~(uintptr_t)7, dh_mask_of(addr, size), flags, pc);
	else
		dh_access_range(addr, size, flags, pc);
}

/* There are no cells. Not known to repeat by itself, but perhaps in parts: */
static DH_NOINLINE void dh_loose_two(uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	struct dh_lines *ls = &dh_thread_base()->lines;
	if (!dh_lines_have_both(ls, addr, size, write))
		ls->loose[write](addr, size, pc);
}

static DH_NOINLINE void dh_loose_parts(uintptr_t addr, unsigned size, bool write,
				       uint64_t pc)
{
	struct dh_lines *ls = &dh_thread_self()->lines;
	if (DH_UNLIKELY(!ls->at))
		dh_loose_first(addr, size, write, pc);
	else if (DH_UNLIKELY(dh_lines_are_two(addr, size)))
		dh_loose_two(addr, size, write, pc);
	else if (!dh_lines_have_parts(ls, addr, size, write))
		ls->loose[write](addr, size, pc);
}

static DH_NOINLINE void dh_loose_elsewhere(uintptr_t addr, unsigned size, bool write,
					   uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	if (t->lines.at ? !dh_lines_have_loose(&t->lines, addr, size, write) : t->now != 0)
		dh_loose_parts(addr, size, write, pc);
}

/* The access, whatever it is. */
DH_INLINE void dh_loose(uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	const unsigned here = 8 - addr % 8;
	if (DH_UNLIKELY(dh_flat_base(addr) <= 1))
		dh_loose_elsewhere(addr, size, write, pc);
	else if (size <= here ? !dh_loose_repeats(addr, size, write)
			      : !dh_loose_repeats(addr, here, write) ||
				    !dh_loose_repeats(addr + here, size - here, write))
		dh_loose_first(addr, size, write, pc);
}

#endif
