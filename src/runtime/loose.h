/* SPDX-License-Identifier: MIT */
/*
 * Accesses at any offset, of at most eight bytes: to some bytes of a granule, or of two.
 * gcc has them told as ranges, clang as accesses that are not aligned.
 */
#ifndef DH_RUNTIME_LOOSE_H
#define DH_RUNTIME_LOOSE_H

#include "runtime/lines.h"
#include "runtime/some.h"

/* Is it a repeat by the cells of its granules, at first sight? As dh_access_glance(). base: where
 * the cells of its piece begin. */
DH_INLINE bool dh_loose_glance(uintptr_t base, uintptr_t addr, unsigned size, bool write)
{
	const unsigned bytes = ((1u << size) - 1) << addr % DH_GRANULE;
	const uint64_t now = dh_thread_self()->now;
	const struct dh_cell *c = dh_flat_cell_at(base, addr);
	__builtin_prefetch((const void *)addr);
	if (!dh_cell_covers(c, now, bytes & DH_WHOLE, write))
		return false;
	if (bytes <= DH_WHOLE)
		return true;
	const bool ends = dh_piece_of(addr) != dh_piece_of(addr + DH_GRANULE);
	return DH_LIKELY(!ends) && dh_cell_covers(c + 1, now, bytes >> DH_GRANULE, write);
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

/* No repeat at first sight. */
DH_INLINE void dh_loose_rest(uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	const unsigned flags = write ? DH_ACCESS_WRITE : 0;
	const uintptr_t next = (addr | 7) + 1, end = addr + size;
	struct dh_self *t = dh_thread_base();
	uint32_t site = 0;
	if (DH_UNLIKELY(!t->simply)) {
		dh_loose_first(addr, size, write, pc);
	} else if (end <= next) {
		dh_some_access(t, addr, end, flags, &site, pc);
	} else {
		dh_some_access(t, addr, next, flags | DH_ACCESS_PIECE, &site, pc);
		dh_some_access(t, next, end, flags | DH_ACCESS_PIECE, &site, pc);
	}
}

static DH_NOINLINE void dh_loose_read(uintptr_t addr, unsigned size, uint64_t pc)
{
	dh_loose_rest(addr, size, false, pc);
}

static DH_NOINLINE void dh_loose_write(uintptr_t addr, unsigned size, uint64_t pc)
{
	dh_loose_rest(addr, size, true, pc);
}

/* The access, whatever it is. */
DH_INLINE void dh_loose(uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	const uintptr_t base = dh_flat_base(addr);
	if (DH_UNLIKELY(base <= 1))
		dh_loose_elsewhere(addr, size, write, pc);
	else if (dh_loose_glance(base, addr, size, write))
		return;
	else if (write)
		dh_loose_write(addr, size, pc);
	else
		dh_loose_read(addr, size, pc);
}

#endif
