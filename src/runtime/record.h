/* SPDX-License-Identifier: MIT */
/*
 * The record of an access, as the shadow keeps it: one 64-bit word that says who
 * (slot), when (clock), which bytes of the granule (code), whether it was an atomic
 * access, and where in the program (site). Zero is "none". All bit packing of the
 * shadow is in this file.
 *
 *   63      53 52       29  28    27  24 23        0
 *   [ slot 11 ][ clock 24 ][atomic][code ][  site 24 ]
 *
 * A word whose slot is DH_SLOT_TAG is no record. As the reads of a cell it is the address
 * of a set of records (sets.h). As the write of a cell it says that
 * the granule is split: its bytes have cells of their own (shadow.h).
 *
 * Epoch: slot and clock, in place. Key: epoch, atomic and code: what has to be equal
 * for an access to be a repeat in the same time frame.
 */
#ifndef DH_RUNTIME_RECORD_H
#define DH_RUNTIME_RECORD_H

#include "base/base.h"

typedef uint64_t dh_record;

enum {
	DH_SITE_BITS = 24,
	DH_CODE_BITS = 4,
	DH_CLOCK_BITS = 24,
	DH_SLOT_BITS = 11,
	DH_CODE_SHIFT = DH_SITE_BITS,
	DH_ATOMIC_SHIFT = DH_CODE_SHIFT + DH_CODE_BITS,
	DH_CLOCK_SHIFT = DH_ATOMIC_SHIFT + 1,
	DH_SLOT_SHIFT = DH_CLOCK_SHIFT + DH_CLOCK_BITS,
	DH_SLOTS = 1 << DH_SLOT_BITS,
	DH_SLOT_NONE = 0,            /* no thread has it: a record is never zero */
	DH_SLOT_TAG = DH_SLOTS - 1,  /* no thread has it: not a record */
	DH_RECORD_CLOCK_MAX = (1 << DH_CLOCK_BITS) - 1,
	DH_RECORD_SITE_MAX = (1 << DH_SITE_BITS) - 1,
};
_Static_assert(DH_SLOT_SHIFT + DH_SLOT_BITS == 64, "a record is one word");

/* Codes: the aligned pieces of a granule of eight bytes. */
enum {
	DH_CODE_1 = 0,  /* + offset 0..7 */
	DH_CODE_2 = 8,  /* + offset/2 */
	DH_CODE_4 = 12, /* + offset/4 */
	DH_CODE_8 = 14,
};

DH_INLINE uint64_t dh_record_epoch(uint32_t slot, uint32_t clock)
{
	return (uint64_t)slot << DH_SLOT_SHIFT | (uint64_t)clock << DH_CLOCK_SHIFT;
}

DH_INLINE uint64_t dh_record_key(uint64_t epoch, unsigned code, bool atomic)
{
	return epoch | (uint64_t)atomic << DH_ATOMIC_SHIFT | (uint64_t)code << DH_CODE_SHIFT;
}

DH_INLINE dh_record dh_record_make(uint64_t key, uint32_t site)
{
	return key | site;
}

DH_INLINE uint32_t dh_record_slot(dh_record r)
{
	return (uint32_t)(r >> DH_SLOT_SHIFT);
}

DH_INLINE uint32_t dh_record_clock(dh_record r)
{
	return (uint32_t)(r >> DH_CLOCK_SHIFT) & DH_RECORD_CLOCK_MAX;
}

DH_INLINE unsigned dh_record_code(dh_record r)
{
	return (unsigned)(r >> DH_CODE_SHIFT) & ((1u << DH_CODE_BITS) - 1);
}

DH_INLINE bool dh_record_atomic(dh_record r)
{
	return (r >> DH_ATOMIC_SHIFT) & 1;
}

DH_INLINE uint32_t dh_record_site(dh_record r)
{
	return (uint32_t)r & DH_RECORD_SITE_MAX;
}

/* Is it the same access up to the site? */
DH_INLINE bool dh_record_repeats(dh_record r, uint64_t key)
{
	return (r ^ key) >> DH_CODE_SHIFT == 0;
}

DH_INLINE bool dh_record_same_epoch(dh_record r, uint64_t epoch)
{
	return (r ^ epoch) >> DH_CLOCK_SHIFT == 0;
}

DH_INLINE bool dh_record_is_tag(dh_record r)
{
	return dh_record_slot(r) == DH_SLOT_TAG;
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

/* The bytes that a code stands for, as a mask of eight bits. */
DH_INLINE unsigned dh_code_mask(unsigned code)
{
	static const uint8_t masks[16] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80,
					  0x03, 0x0c, 0x30, 0xc0, 0x0f, 0xf0, 0xff, 0x00};
	return masks[code];
}

DH_INLINE unsigned dh_record_mask(dh_record r)
{
	return dh_code_mask(dh_record_code(r));
}

/* The code of an aligned access of 1, 2, 4 or 8 bytes. */
DH_INLINE unsigned dh_code_of(uintptr_t addr, unsigned size)
{
	switch (size) {
	case 1:
		return DH_CODE_1 + (addr & 7);
	case 2:
		return DH_CODE_2 + ((addr & 7) >> 1);
	case 4:
		return DH_CODE_4 + ((addr & 7) >> 2);
	default:
		return DH_CODE_8;
	}
}

/* Is it a plain access to all bytes of the granule? */
DH_INLINE bool dh_record_whole(dh_record r)
{
	return dh_record_code(r) == DH_CODE_8 && !dh_record_atomic(r);
}

/* The same record for other bytes. */
DH_INLINE dh_record dh_record_with_code(dh_record r, unsigned code)
{
	const uint64_t field = (uint64_t)((1 << DH_CODE_BITS) - 1) << DH_CODE_SHIFT;
	return (r & ~field) | (uint64_t)code << DH_CODE_SHIFT;
}

/* The largest aligned piece that starts at the lowest byte of a mask (not 0). */
DH_INLINE unsigned dh_code_first(unsigned mask)
{
	unsigned at = (unsigned)__builtin_ctz(mask);
	for (unsigned size = 8; size > 1; size /= 2) {
		unsigned piece = ((1u << size) - 1) << at;
		if (at % size == 0 && (mask & piece) == piece)
			return dh_code_of(at, size);
	}
	return DH_CODE_1 + at;
}

#endif
