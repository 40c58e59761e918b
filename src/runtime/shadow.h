/* SPDX-License-Identifier: MIT */
/*
 * Shadow memory: for each granule of eight bytes of the program a cell with the last
 * write and the reads since, as records (record.h).
 *
 * Most granules are used as one piece, or by one place in the program at a time, and
 * one cell is enough. Where different records meet in different bytes the granule is
 * split: into cells for its two halves, its four pairs of bytes, or its bytes. Its own cell
 * then holds nothing but the word that says so, and where they are (parts.h), until all of
 * it is written at once (attempt.h).
 *
 *   level  unit     cells per granule   shadow per byte
 *   0      granule  1                   2
 *   1      4 bytes  2                   4     only of granules that are split so
 *   2      2 bytes  4                   8     likewise
 *   3      byte     8                   16    likewise
 *
 * A cell that several threads have read keeps a set of records (sets.h), or has its own
 * places for them in a shadow beside (dh_shadow_readers).
 *
 * Where. The address space is cut into pieces of 4 GiB. The granules' cells of a piece are
 * one stretch of addresses, reserved when the piece is first touched, wherever
 * the kernel has room; a table says where (dh_flat). So a cell is found with one look-up,
 * any layout of the process will do, and memory is used only for what the program uses.
 * Before the cells lie words for each line of 64 bytes, that lead to those of parts.
 * Where address space is rationed (a limit on it, no overcommitting of memory), or the
 * kernel gives none, a piece is cut further, into regions of 1 MiB, whose cells are
 * mapped when first needed and found through a directory: dearer, but nothing is
 * reserved.
 *
 * Concurrency: any number of threads, signal handlers included. Cells are read and
 * written with atomics by access.c.
 */
#ifndef DH_RUNTIME_SHADOW_H
#define DH_RUNTIME_SHADOW_H

#include "runtime/hot.h"
#include "runtime/record.h"

struct dh_cell {
	dh_record write; /* atomic: the last write, or where the granule is split */
	dh_record read;	 /* atomic: reads not ordered before that write */
};
_Static_assert(sizeof(struct dh_cell) == 16, "two bytes of shadow per byte");

enum {
	DH_GRANULE = 8,
	DH_LEVELS = 4,
	DH_PIECE_BITS = 32,
	DH_PIECES = 1 << 16, /* addresses have 48 bits */
	DH_PLACES = 16,	     /* words that a cell has beside it for several readers, */
	DH_PLACE_STEP = 512, /* so many words apart: a page */
	DH_LINE_SHIFT = 6,   /* bytes that a word of a line is for, as a shift */
	DH_PARTS_SHIFT = 8,  /* bytes of a block of cells of parts (parts.h), likewise */
	DH_PARTS = 1 << 27,  /* how many there can be: 32 GiB */
};
#define DH_PIECE_LINES ((uintptr_t)1 << (DH_PIECE_BITS - DH_LINE_SHIFT))

/* Bytes that a cell of a level is for, as a shift: 8, 4, 2, 1. */
DH_INLINE unsigned dh_level_shift(unsigned level)
{
	return 3 - level;
}

/* The coarsest level, from 1, whose cells tell these bytes from their neighbours. */
DH_INLINE unsigned dh_split_level(unsigned mask)
{
	if (mask == 0x0f || mask == 0xf0 || mask == DH_WHOLE)
		return 1;
	return ((mask ^ mask >> 1) & 0x55) == 0 ? 2 : 3;
}

/* Where the cells of the granules of a piece are: 0, not known yet; 1, not in one stretch.
 * And likewise the places for readers of cells of each level, in tables that are made when the
 * first places of the level are; instead of a table too it may be 0 or 1. */
extern DH_HOT_VISIBLE uintptr_t dh_flat[DH_PIECES] DH_SHARED("flat"); /* atomic */
extern DH_HOT_VISIBLE
    uintptr_t *dh_flat_places[DH_LEVELS] DH_SHARED("places"); /* atomic */

/* Where the blocks of cells of parts are, by their numbers, if they are in one stretch: so
 * they are where the cells of any piece are. Else 0 or 1. */
extern DH_HOT_VISIBLE uintptr_t dh_flat_parts DH_SHARED("parts"); /* atomic */

DH_INLINE unsigned dh_piece_of(uintptr_t addr)
{
	return (uint16_t)(addr >> DH_PIECE_BITS);
}

/* Where the cells of the piece begin; 0 or 1 where that is not in one stretch. */
DH_INLINE uintptr_t dh_flat_base(uintptr_t addr)
{
	return __atomic_load_n(&dh_flat[dh_piece_of(addr)], __ATOMIC_RELAXED);
}

/* The cell of addr from where the cells of its piece begin. */
DH_INLINE struct dh_cell *dh_flat_cell_at(uintptr_t base, uintptr_t addr)
{
	const uintptr_t size = sizeof(struct dh_cell);
	uintptr_t offset = (uintptr_t)(uint32_t)addr * (size / DH_GRANULE);
	return (struct dh_cell *)(base + (offset & ~(size - 1)));
}

/* The cell of addr, where its piece is one stretch; else NULL. */
DH_INLINE struct dh_cell *dh_flat_cell(uintptr_t addr)
{
	uintptr_t base = dh_flat_base(addr);
	return DH_LIKELY(base > 1) ? dh_flat_cell_at(base, addr) : NULL;
}

/* The cell of the half at addr, whose granule is split so, from where the cells of its piece
 * begin. The granule's cell says where it is, too (tags.h). But a processor that guesses that
 * the granule is split can fetch both at the same time this way. */
DH_INLINE struct dh_cell *dh_flat_half_at(uintptr_t base, uintptr_t addr)
{
	const uint32_t *lines = (const uint32_t *)base - DH_PIECE_LINES;
	uintptr_t number = __atomic_load_n(&lines[(uint32_t)addr >> DH_LINE_SHIFT],
					   __ATOMIC_RELAXED);
	struct dh_cell *parts = (struct dh_cell *)(dh_flat_parts + (number << DH_PARTS_SHIFT));
	return parts + (addr & ((1 << DH_LINE_SHIFT) - 1)) / 4;
}

/* The first place of a cell from that of the first one, by its number. The places of
 * neighbouring cells that have the same number follow each other: who goes through memory
 * finds its own of eight cells in one line, and pages of places that nobody takes are not
 * used. */
DH_INLINE uintptr_t dh_places_offset(uintptr_t number)
{
	const uintptr_t step = DH_PLACE_STEP;
	return ((number & ~(step - 1)) * DH_PLACES + number % step) * sizeof(dh_record);
}

/* One of a cell's places, given the first. */
DH_INLINE dh_record *dh_place_at(dh_record *places, unsigned i)
{
	return places + i * DH_PLACE_STEP;
}

/* The places for readers of that cell, likewise: the first of them. */
DH_INLINE dh_record *dh_flat_readers(uintptr_t addr, unsigned level)
{
	const uintptr_t *table = __atomic_load_n(&dh_flat_places[level], __ATOMIC_ACQUIRE);
	uintptr_t base = (uintptr_t)table > 1
			     ? __atomic_load_n(&table[dh_piece_of(addr)], __ATOMIC_RELAXED)
			     : 0;
	uintptr_t number = (uint32_t)addr >> dh_level_shift(level);
	return DH_LIKELY(base > 1) ? (dh_record *)(base + dh_places_offset(number))
				   : NULL;
}

/* The cell of addr's granule; made where make is true. NULL where missing, or where the
 * kernel gave no memory (counted). */
struct dh_cell *dh_shadow_find(uintptr_t addr, bool make);

/* An engine that keeps cells itself (racetrack/aside.h) does so at addresses with this
 * bit, which no program has, so that the entry points find none at the program's. Which
 * granule of the program they are for it knows itself (observer.h). */
#define DH_SHADOW_ASIDE ((uintptr_t)1 << 47)

/* The same, made; NULL where there is no memory for it. */
DH_INLINE struct dh_cell *dh_shadow_cell(uintptr_t addr)
{
	struct dh_cell *c = dh_flat_cell(addr);
	return DH_LIKELY(c != NULL) ? c : dh_shadow_find(addr, true);
}

/* The first of the DH_PLACES words beside the cell of addr in a level, for several
 * readers (readers.c); made where make is true. NULL where missing. They belong to the
 * cell for good, so nobody has to give them back. */
dh_record *dh_shadow_readers(uintptr_t addr, unsigned level, bool make);

/* The words of the line of addr, whose cells have been made, for parts.c: the number of the
 * block with the cells of its halves, what leads to those of smaller parts, and where the first
 * elders are, of its reads and (one more) its writes, and those by bytes, of the halves of the line
 * likewise. They are 0 at first, and stay when memory is cleared. */
enum dh_line_word {
	DH_LINE_HALVES,
	DH_LINE_SMALLER,
	DH_LINE_FIRST_ELDERS,
	DH_LINE_ELDER_BYTES = DH_LINE_FIRST_ELDERS + 2,
	DH_LINE_WORDS = DH_LINE_ELDER_BYTES + 4,
};
uint32_t *dh_shadow_line(uintptr_t addr, enum dh_line_word which);

/* All granules that lie in [addr, addr + size) start fresh; whole pages of shadow are
 * given back to the kernel. Of a granule that is only partly inside, the records that
 * are wholly inside go. */
void dh_shadow_clear(uintptr_t addr, size_t size);

/* The same without telling an engine: for one that uses the shadow itself. */
void dh_shadow_wipe(uintptr_t addr, size_t size);

/* For long ranges: the next part of [*at, end) whose shadow may have something, *at moved
 * to its start; returns its size, or 0 where there is none. */
size_t dh_shadow_used(uintptr_t *at, uintptr_t end);

/* Address space for an engine that keeps something of its own beside cells: as these are
 * reserved, and counted with them; NULL where there is none to spare. For good. */
void *dh_shadow_reserve(size_t size);

/* The same for a chunk of blocks of parts, by the number of its first: in the stretch of
 * these, or anywhere. NULL where the kernel gave none, or there are too many (counted). And
 * back, where it was not needed after all. */
void *dh_shadow_parts_map(uint32_t number, size_t size);
void dh_shadow_parts_unmap(void *addr, size_t size);

/* Bytes of address space mapped for cells, and requests that the kernel turned down. */
size_t dh_shadow_bytes(void);
uint64_t dh_shadow_refused(void);

#endif
