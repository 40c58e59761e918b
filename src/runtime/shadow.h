/* SPDX-License-Identifier: MIT */
/*
 * Shadow memory: for each granule of eight bytes of the program a cell with the last
 * write and the reads since, as records (record.h).
 *
 * Most granules are used as one piece, or by one place in the program at a time, and
 * one cell is enough. Where different records meet in different bytes the granule is
 * split, for good: into cells for its two halves, or for its eight bytes. Its own cell
 * then holds nothing but the tag that says so.
 *
 *   level  unit     cells per granule   shadow per byte
 *   0      granule  1                   2
 *   1      4 bytes  2                   4     only pages in use
 *   2      byte     8                   16    only pages in use
 *
 * A cell that several threads have read keeps a set of records (sets.h), or has its own
 * places for them in a shadow beside (dh_shadow_readers).
 *
 * The address space is cut into regions of 1 MiB; a region's cells of a level are
 * mapped when first needed. Regions are found through a directory of two levels, and
 * on the fast path through a small cache in each thread (dh_tlb): no fixed address, so
 * any layout of the process will do, and nothing is reserved for memory that the
 * program does not have.
 *
 * Concurrency: any number of threads, signal handlers included. Cells are read and
 * written with atomics by access.c.
 */
#ifndef DH_RUNTIME_SHADOW_H
#define DH_RUNTIME_SHADOW_H

#include "runtime/record.h"

struct dh_cell {
	dh_record write; /* atomic: the last write, or the tag of a split granule */
	dh_record read;  /* atomic: reads not ordered before that write */
};
_Static_assert(sizeof(struct dh_cell) == 16, "two bytes of shadow per byte");

enum {
	DH_GRANULE = 8,
	DH_LEVELS = 3,
	DH_REGION_BITS = 20,
	DH_TLB_ENTRIES = 128,
};
#define DH_REGION_SIZE ((uintptr_t)1 << DH_REGION_BITS)

/* Bytes that a cell of a level is for, as a shift: 8, 4, 1. */
DH_INLINE unsigned dh_level_shift(unsigned level)
{
	return level == 0 ? 3 : level == 1 ? 2 : 0;
}

/* What a thread remembers of where regions have their cells. */
struct dh_tlb_entry {
	uintptr_t mark;              /* ~(start of the region); 0: none */
	uintptr_t cells[DH_LEVELS];  /* of the region; 0: not known to have any */
};

struct dh_tlb {
	struct dh_tlb_entry at[DH_TLB_ENTRIES];
	bool fixed; /* a signal handler runs: nothing is noted */
};

/* Forgets all. Places stay, for the sake of who has just looked at a region. */
DH_INLINE void dh_tlb_empty(struct dh_tlb *tlb)
{
	for (size_t i = 0; i < DH_TLB_ENTRIES; i++)
		tlb->at[i].mark = 0;
}

/* Where the region of addr is, if it is. Neighbouring regions have different places. */
DH_INLINE const struct dh_tlb_entry *dh_tlb_at(const struct dh_tlb *tlb, uintptr_t addr)
{
	return &tlb->at[(addr >> DH_REGION_BITS) % DH_TLB_ENTRIES];
}

/* The marks are complements so that an empty place matches no address of a program. */
DH_INLINE bool dh_tlb_has(const struct dh_tlb_entry *e, uintptr_t addr)
{
	return (e->mark ^ addr) >= -DH_REGION_SIZE;
}

/* The cell of addr in a level that the region has cells of. */
DH_INLINE struct dh_cell *dh_tlb_cell(const struct dh_tlb_entry *e, uintptr_t addr,
				      unsigned level)
{
	uintptr_t number = (addr & (DH_REGION_SIZE - 1)) >> dh_level_shift(level);
	return (struct dh_cell *)(e->cells[level] + number * sizeof(struct dh_cell));
}

/* The level-0 cell of addr, if the thread has the region at hand; else NULL. */
DH_INLINE struct dh_cell *dh_tlb_find(const struct dh_tlb *tlb, uintptr_t addr)
{
	const struct dh_tlb_entry *e = dh_tlb_at(tlb, addr);
	return DH_LIKELY(dh_tlb_has(e, addr)) ? dh_tlb_cell(e, addr, 0) : NULL;
}

/* The level-0 cell of addr, made where missing, and its region noted in the cache. NULL
 * where the kernel gave no memory (counted). */
struct dh_cell *dh_shadow_note(struct dh_tlb *tlb, uintptr_t addr);

/* Notes the cells of a finer level that the region of addr has got. */
void dh_shadow_note_fine(struct dh_tlb *tlb, uintptr_t addr, unsigned level);

/* The cell of addr in a level; made where make is true. NULL where missing. */
struct dh_cell *dh_shadow_find(uintptr_t addr, unsigned level, bool make);

/* The places for the records of several readers of the cell of addr in a level, made
 * where make is true. NULL where missing. They belong to the cell for good, so nobody
 * has to give them back; what they hold means something only while the cell says so. */
enum { DH_READERS = 16 };
dh_record *dh_shadow_readers(uintptr_t addr, unsigned level, bool make);

/* The level-0 cell of addr; NULL where there is no memory for it. */
DH_INLINE struct dh_cell *dh_shadow_cell(struct dh_tlb *tlb, uintptr_t addr)
{
	struct dh_cell *c = dh_tlb_find(tlb, addr);
	return DH_LIKELY(c != NULL) ? c : dh_shadow_note(tlb, addr);
}

/* All granules that lie in [addr, addr + size) start fresh; whole pages of shadow are
 * given back to the kernel. Of a granule that is only partly inside, the records that
 * are wholly inside go. */
void dh_shadow_clear(uintptr_t addr, size_t size);

/* Calls f on the level-0 and finer cells that exist, region by region. For sweeps. */
void dh_shadow_each(void (*f)(void *context, struct dh_cell *from, struct dh_cell *to),
		    void *context);

/* Bytes mapped for cells, and regions that could not be had. */
size_t dh_shadow_bytes(void);
uint64_t dh_shadow_refused(void);

#endif
