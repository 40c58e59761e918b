/* SPDX-License-Identifier: MIT */
/*
 * The record of an access, as the shadow keeps it: one 64-bit word that says who
 * (slot), when (clock), whether it was an atomic access, which bytes of the granule, and
 * where in the program (site). Zero is "none". All bit packing of the shadow is in this
 * file.
 *
 *   63      53 52       31  30    29     22   21   20        0
 *   [ slot 11 ][ clock 22 ][atomic][absent 8][elders][ site 21 ]
 *
 * The bytes are kept by their absence: a bit is set for each byte that the access did
 * not touch. So the question on the hot path, "is this a record of my present time frame
 * that has all my bytes?", is one xor and one test (dh_record_covers).
 *
 * Elders: the granule has records of other bytes, too, which this one comes after; they are
 * elsewhere (elders.h). Not of one that has all bytes.
 *
 * A word whose slot is DH_SLOT_TAG is no record. As the reads of a cell it stands for
 * several records (sets.h, shadow.h). As the write of a cell it says that the granule is
 * split: its bytes have cells of their own (shadow.h).
 *
 * Epoch: slot and clock, in place.
 */
#ifndef DH_RUNTIME_RECORD_H
#define DH_RUNTIME_RECORD_H

#include "base/base.h"

typedef uint64_t dh_record;

enum {
	DH_SITE_BITS = 21,
	DH_CLOCK_BITS = 22,
	DH_SLOT_BITS = 11,
	DH_ELDERS_SHIFT = DH_SITE_BITS,
	DH_ABSENT_SHIFT = DH_ELDERS_SHIFT + 1,
	DH_ATOMIC_SHIFT = DH_ABSENT_SHIFT + 8,
	DH_CLOCK_SHIFT = DH_ATOMIC_SHIFT + 1,
	DH_SLOT_SHIFT = DH_CLOCK_SHIFT + DH_CLOCK_BITS,
	DH_SLOTS = 1 << DH_SLOT_BITS,
	DH_SLOT_NONE = 0,	    /* no thread has it: a record is never zero */
	DH_SLOT_TAG = DH_SLOTS - 1, /* no thread has it: not a record */
	DH_RECORD_CLOCK_MAX = (1 << DH_CLOCK_BITS) - 1,
	DH_RECORD_SITE_MAX = (1 << DH_SITE_BITS) - 1,
	DH_WHOLE = 0xff, /* the mask of all bytes of a granule */
};
_Static_assert(DH_SLOT_SHIFT + DH_SLOT_BITS == 64, "a record is one word");

#define DH_ABSENT_FIELD ((uint64_t)DH_WHOLE << DH_ABSENT_SHIFT)
#define DH_ATOMIC_FLAG	((uint64_t)1 << DH_ATOMIC_SHIFT)
#define DH_ELDERS_FLAG	((uint64_t)1 << DH_ELDERS_SHIFT)

DH_INLINE uint64_t dh_record_epoch(uint32_t slot, uint32_t clock)
{
	return (uint64_t)slot << DH_SLOT_SHIFT | (uint64_t)clock << DH_CLOCK_SHIFT;
}

/* mask: a bit for each byte of the granule that was touched, not 0. */
DH_INLINE dh_record dh_record_make(uint64_t epoch, unsigned mask, bool atomic,
				   uint32_t site)
{
	return epoch | (uint64_t)atomic << DH_ATOMIC_SHIFT |
	       (uint64_t)(mask ^ DH_WHOLE) << DH_ABSENT_SHIFT | site;
}

DH_INLINE uint32_t dh_record_slot(dh_record r)
{
	return (uint32_t)(r >> DH_SLOT_SHIFT);
}

DH_INLINE uint32_t dh_record_clock(dh_record r)
{
	return (uint32_t)(r >> DH_CLOCK_SHIFT) & DH_RECORD_CLOCK_MAX;
}

DH_INLINE bool dh_record_atomic(dh_record r)
{
	return r & DH_ATOMIC_FLAG;
}

DH_INLINE uint32_t dh_record_site(dh_record r)
{
	return (uint32_t)r & DH_RECORD_SITE_MAX;
}

/* The bytes that were touched. Not of 0. */
DH_INLINE unsigned dh_record_mask(dh_record r)
{
	return (unsigned)(~r >> DH_ABSENT_SHIFT) & DH_WHOLE;
}

/* The bits of a record that have to be those of the epoch for it to be a plain access of
 * that time frame to all bytes of the mask. */
DH_INLINE uint64_t dh_record_need(unsigned mask)
{
	return ~(uint64_t)0 << DH_ATOMIC_SHIFT | (uint64_t)mask << DH_ABSENT_SHIFT;
}

/* Is it a plain access of that time frame to all bytes of the mask? */
DH_INLINE bool dh_record_covers(dh_record r, uint64_t epoch, unsigned mask)
{
	return ((r ^ epoch) & dh_record_need(mask)) == 0;
}

/* The same, where the bits in `alike` need not be those of the epoch. */
DH_INLINE bool dh_record_stands(dh_record r, uint64_t epoch, uint64_t alike,
				unsigned mask)
{
	return ((r ^ epoch) & dh_record_need(mask) & ~alike) == 0;
}

DH_INLINE bool dh_record_same_epoch(dh_record r, uint64_t epoch)
{
	return (r ^ epoch) >> DH_CLOCK_SHIFT == 0;
}

DH_INLINE bool dh_record_same_slot(dh_record r, uint64_t epoch)
{
	return (r ^ epoch) >> DH_SLOT_SHIFT == 0;
}

/* Is it of the same slot, and not of a later clock? In a slot that is a lane of tasks
 * (openmp/lane.h) only such are the thread's own. `mine` is a record or an epoch. */
DH_INLINE bool dh_record_own(dh_record r, uint64_t mine)
{
	const uint64_t latest = mine | (((uint64_t)1 << DH_CLOCK_SHIFT) - 1);
	const uint64_t within = ((uint64_t)1 << DH_SLOT_SHIFT) - 1;
	return latest - r <= (latest & within);
}

/* Does the record, or an elder of it, have bytes that are not in the mask? Not of 0. */
DH_INLINE bool dh_record_beyond(dh_record r, unsigned mask)
{
	const uint64_t others = (uint64_t)(mask ^ DH_WHOLE) << DH_ABSENT_SHIFT;
	const uint64_t elders = mask == DH_WHOLE ? 0 : DH_ELDERS_FLAG;
	return ((r ^ DH_ABSENT_FIELD) & (others | elders)) != 0;
}

/* Are they the same but for the bytes: of one time frame, kind and place in the program?
 * Then dh_record_joined() is one record that stands for both. */
DH_INLINE bool dh_record_joins(dh_record a, dh_record b)
{
	return ((a ^ b) & ~(DH_ABSENT_FIELD | DH_ELDERS_FLAG)) == 0;
}

/* Of two records that are one now, the first of which may have elders: so may this, unless
 * it has all bytes. */
DH_INLINE dh_record dh_record_with_elders_of(dh_record r, dh_record first)
{
	return r & DH_ABSENT_FIELD ? r | (first & DH_ELDERS_FLAG) : r & ~DH_ELDERS_FLAG;
}

DH_INLINE dh_record dh_record_joined(dh_record a, dh_record b)
{
	return dh_record_with_elders_of(a & b, a);
}

DH_INLINE bool dh_record_is_tag(dh_record r)
{
	return dh_record_slot(r) == DH_SLOT_TAG;
}

/* Has it elders? Of any word. */
DH_INLINE bool dh_record_has_elders(dh_record r)
{
	return (r & DH_ELDERS_FLAG) && !dh_record_is_tag(r);
}

/* Without the bytes in the mask, and elders. */
DH_INLINE dh_record dh_record_without(dh_record r, unsigned mask)
{
	return (r & ~DH_ELDERS_FLAG) | (uint64_t)mask << DH_ABSENT_SHIFT;
}

/* Is it a plain write that an atomic one has come over (access.c)? In place of a cell's
 * reads, for the bytes of its write; it has none of its own. */
DH_INLINE bool dh_record_is_kept(dh_record r)
{
	return (r & DH_ABSENT_FIELD) == DH_ABSENT_FIELD && !dh_record_is_tag(r);
}

DH_INLINE dh_record dh_record_kept(dh_record write)
{
	return write | DH_ABSENT_FIELD;
}

/* As it was, given the cell's write. */
DH_INLINE dh_record dh_record_unkept(dh_record kept, dh_record write)
{
	return (kept & ~DH_ABSENT_FIELD) | (write & DH_ABSENT_FIELD);
}

/* What a tag carries: a number or an address. */
DH_INLINE dh_record dh_record_tag(uint64_t value)
{
	return (uint64_t)DH_SLOT_TAG << DH_SLOT_SHIFT | value;
}

DH_INLINE uint64_t dh_record_tag_value(dh_record r)
{
	return r & (((uint64_t)1 << DH_SLOT_SHIFT) - 1);
}

/* The mask of an access within one granule. */
DH_INLINE unsigned dh_mask_of(uintptr_t addr, unsigned size)
{
	return size == 8 ? DH_WHOLE : ((1u << size) - 1) << (addr & 7);
}

#endif
