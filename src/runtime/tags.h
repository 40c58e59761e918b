/* SPDX-License-Identifier: MIT */
/*
 * Words of a cell that are neither a record nor a set of records (sets.h): what stands for
 * its write where its granule is split or constant, and for its reads where these are
 * elsewhere. Their slot is DH_SLOT_TAG. Of the rest two forms:
 *
 *   63      53  52  51   48  47  46                     0
 *   [  tag    ][ 1 ][ kind ][ 0 ][ address of the parts  ]	a granule that is split
 *
 *   63      53 52   31 30 29     22 21 19 18       4 3    0
 *   [  tag    ][  1   ][0][ all 1  ][ 0 ][ in use   ][ kind ]	all others
 *
 * In the place of the clock both have something that nobody knows, so that no access takes
 * them for a record that is ordered; sets never have bit 52.
 */
#ifndef DH_RUNTIME_TAGS_H
#define DH_RUNTIME_TAGS_H

#include "runtime/shadow.h"

enum dh_split_tag {
	/* In place of the write: the granule is split, and the level of its cells. */
	DH_TAG_SPLIT_4 = 1,
	DH_TAG_SPLIT_2 = 2,
	DH_TAG_SPLIT_1 = 3,
	/* Somebody is about to change the form of the write, or of the reads. */
	DH_TAG_BUSY = 4,
	/* In place of the reads: they are in the cell's own places, or in an array that
	 * has one for each slot (readers.c). */
	DH_TAG_READERS = 5,
	DH_TAG_CROWD = 6,
	/* As DH_TAG_SPLIT_1, and all accesses come by the slow path (evidence.h). */
	DH_TAG_WATCHED = 7,
	/* In place of the write: there can be none (constants.h). */
	DH_TAG_CONST = 8,
};

/* ---- split granules ---- */

enum { DH_SPLIT_KIND_SHIFT = 48, DH_SPLIT_KINDS = 15, DH_SPLIT_ADDRESS_BITS = 47 };

#define DH_SPLIT_FLAG ((dh_record)1 << (DH_SLOT_SHIFT - 1))

/* The word of a granule that is split into the cells that begin there (parts.h). */
DH_INLINE dh_record dh_split_word(enum dh_split_tag kind, const struct dh_cell *parts)
{
	return dh_record_tag(DH_SPLIT_FLAG | (dh_record)kind << DH_SPLIT_KIND_SHIFT |
			     (uintptr_t)parts);
}

/* Is the granule of the word split into cells of that level, from 1? */
DH_INLINE bool dh_is_split(dh_record write, unsigned level)
{
	const dh_record word = dh_split_word((enum dh_split_tag)level, NULL);
	return level && write >> DH_SPLIT_KIND_SHIFT == word >> DH_SPLIT_KIND_SHIFT;
}

/* How it is split; 0 where it is not. */
DH_INLINE enum dh_split_tag dh_split_kind(dh_record write)
{
	return write >= dh_split_word(0, NULL)
		   ? (enum dh_split_tag)(write >> DH_SPLIT_KIND_SHIFT & DH_SPLIT_KINDS)
		   : 0;
}

/* The level of the cells that such a granule has. */
DH_INLINE unsigned dh_tag_level(enum dh_split_tag tag)
{
	return tag == DH_TAG_WATCHED ? 3 : (unsigned)tag;
}

/* The first cell of the word of a split granule, */
DH_INLINE struct dh_cell *dh_split_parts(dh_record write)
{
	return (struct dh_cell *)(write & (((dh_record)1 << DH_SPLIT_ADDRESS_BITS) - 1));
}

/* and the one of addr; level is that of its cells. */
DH_INLINE struct dh_cell *dh_split_cell(dh_record write, uintptr_t addr, unsigned level)
{
	return dh_split_parts(write) + (addr % DH_GRANULE >> dh_level_shift(level));
}

/* ---- others ---- */

DH_INLINE dh_record dh_tag(enum dh_split_tag tag)
{
	return dh_record_tag((uint64_t)1 << DH_CLOCK_SHIFT | DH_ABSENT_FIELD | tag);
}

/* Beside a cell: a place for each of so many readers, and behind them the address of an
 * array for more (readers.c). */
enum { DH_OWN_PLACES = DH_PLACES - 1, DH_CROWD_AT = DH_OWN_PLACES };

/* DH_TAG_READERS goes with a bit for each place that is in use. What the others hold means
 * nothing. */
enum { DH_IN_USE_SHIFT = 4 };
#define DH_IN_USE_FIELD (((dh_record)(1 << DH_OWN_PLACES) - 1) << DH_IN_USE_SHIFT)

DH_INLINE dh_record dh_readers_tag(unsigned in_use)
{
	return dh_tag(DH_TAG_READERS) | (dh_record)in_use << DH_IN_USE_SHIFT;
}

DH_INLINE bool dh_is_readers(dh_record word)
{
	return (word & ~DH_IN_USE_FIELD) == dh_tag(DH_TAG_READERS);
}

/* Is the place in use? Of such a word. */
DH_INLINE bool dh_in_use(dh_record word, unsigned place)
{
	return word >> (DH_IN_USE_SHIFT + place) & 1;
}

/* Which tag it is; 0 for what is none, also for a set. */
DH_INLINE enum dh_split_tag dh_tag_of(dh_record word)
{
	enum dh_split_tag tag = (enum dh_split_tag)(word & 15);
	return (word & ~DH_IN_USE_FIELD) == dh_tag(tag) ? tag : dh_split_kind(word);
}

#endif
