/* SPDX-License-Identifier: MIT */
/*
 * Cells of the parts of split granules (shadow.h). They lie in blocks of 256 bytes, each for
 * the halves of 64 bytes of the program's memory, the pairs of 32 or the bytes of 16, that are
 * made as they are needed and lie one after the other. So they take little more than what they
 * hold, wherever in memory their granules are, and who goes through an array finds
 * neighbours side by side. Where a granule has its own its cell says (tags.h).
 *
 * A granule keeps its cells, of each level that it has ever been split into, for good, also
 * while it is one piece. So who comes late, with what the cell said long ago, comes to
 * no other granule's. To find them again there are two words for each line of 64 bytes
 * (dh_shadow_line): the number of the block of its halves, and that of the first of the others,
 * which leads to the next.
 *
 * So do the elders of granules (elders.h): the first of each, since most have no more, in a row
 * of 64 bytes for a line; a word for each byte, where there are more, in a block for half a line.
 *
 * Concurrency: any number of threads, no locks.
 */
#ifndef DH_RUNTIME_PARTS_H
#define DH_RUNTIME_PARTS_H

#include "runtime/shadow.h"

/* The cells that the granule has in a level, from 1; made if it has none. What they hold
 * means nothing yet. Threads with different numbers make blocks apart from each other.
 * NULL where the kernel gives no memory (counted). */
struct dh_cell *dh_parts_find(uintptr_t granule, unsigned level, unsigned thread);

/* Where the granule has the first elder of its writes, or of its reads, likewise; and the words
 * of its bytes for the others, DH_GRANULE of them. They stay for good, too. */
dh_record *dh_parts_elder(uintptr_t granule, bool write, unsigned thread);
dh_record *dh_parts_elder_bytes(uintptr_t granule, bool write, unsigned thread);

/* Which word of its line says where the latter are. */
DH_INLINE unsigned dh_elder_bytes_word(uintptr_t granule, bool write)
{
	return DH_LINE_ELDER_BYTES + 2 * write + (granule >> (DH_LINE_SHIFT - 1) & 1);
}

/* A word of the granule's line, where its piece is one stretch; else 0. */
DH_INLINE uintptr_t dh_flat_line_word(uintptr_t granule, unsigned word)
{
	const uintptr_t base = dh_flat_base(granule);
	if (DH_UNLIKELY(base <= 1))
		return 0;
	const uint32_t *lines = (const uint32_t *)base - (word + 1) * DH_PIECE_LINES;
	return __atomic_load_n(&lines[(uint32_t)granule >> DH_LINE_SHIFT], __ATOMIC_RELAXED);
}

/* The same as above, if they are there and the piece is one stretch; else NULL. */
DH_INLINE dh_record *dh_flat_elder(uintptr_t granule, bool write)
{
	enum { LINE = 1 << DH_LINE_SHIFT };
	const uintptr_t row = dh_flat_line_word(granule, DH_LINE_FIRST_ELDERS + write);
	return DH_LIKELY(row) ? (dh_record *)(dh_flat_parts + row * LINE + granule % LINE)
			      : NULL;
}

DH_INLINE dh_record *dh_flat_elder_bytes(uintptr_t granule, bool write)
{
	enum { HALF = 1 << (DH_LINE_SHIFT - 1) };
	const uintptr_t block = dh_flat_line_word(granule, dh_elder_bytes_word(granule, write));
	return DH_LIKELY(block) ? (dh_record *)dh_flat_parts + block * HALF + granule % HALF
				: NULL;
}

/* Which byte of its granule is the first that the cell of a level, 0 too, is for. */
DH_INLINE unsigned dh_part_offset(const struct dh_cell *c, unsigned level)
{
	unsigned number = (unsigned)((uintptr_t)c / sizeof *c);
	return (number << dh_level_shift(level)) % DH_GRANULE;
}

#endif
