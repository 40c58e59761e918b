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
 * Blocks of the same kind are for the chains of reads of granules (chain.h).
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

/* The DH_CHAIN_MOST words in which the granule can have a chain of reads (tags.h), likewise: a
 * block has them for a line of 64 bytes, and they stay for good, too. */
dh_record *dh_parts_chain(uintptr_t granule, unsigned thread);

/* Which byte of its granule is the first that the cell of a level, 0 too, is for. */
DH_INLINE unsigned dh_part_offset(const struct dh_cell *c, unsigned level)
{
	unsigned number = (unsigned)((uintptr_t)c / sizeof *c);
	return (number << dh_level_shift(level)) % DH_GRANULE;
}

#endif
