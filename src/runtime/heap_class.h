/* SPDX-License-Identifier: MIT */
/*
 * Sizes of small heap blocks: 16 to 128 in steps of 16, then four to each doubling, up
 * to 32 KiB; and what goes with a size. Everything here is arithmetic.
 */
#ifndef DH_RUNTIME_HEAP_CLASS_H
#define DH_RUNTIME_HEAP_CLASS_H

#include "base/base.h"

enum {
	DH_SMALL_MAX = 32768,
	DH_CLASSES = 40,
	DH_UNIT_BITS = 14,
	DH_UNIT = 1 << DH_UNIT_BITS, /* slabs are a number of these */
	DH_CLASS_STEPS = 8,	     /* classes of the even steps */
};

/* The least class whose blocks have room for size, at most DH_SMALL_MAX. */
DH_INLINE unsigned dh_class_of(size_t size)
{
	if (size <= 128)
		return size ? (unsigned)(size - 1) / 16 : 0;
	unsigned log = 63 - (unsigned)__builtin_clzll(size - 1);
	unsigned quarter = (unsigned)((size - 1) >> (log - 2)) & 3;
	return DH_CLASS_STEPS + (log - 7) * 4 + quarter;
}

DH_INLINE uint32_t dh_class_size(unsigned class)
{
	if (class < DH_CLASS_STEPS)
		return (class + 1) * 16;
	unsigned k = class - DH_CLASS_STEPS;
	return (1u << (7 + k / 4)) + ((k % 4 + 1) << (5 + k / 4));
}

/* An engine may have the last bytes of each block of at most DH_TAILED_MAX bytes for a
 * word of its own: who uses a block has that at hand. Set before the engine starts;
 * slabs that were made earlier have none. */
enum { DH_TAIL = 8, DH_TAILED_LEAST = 24, DH_TAILED_MAX = 128 };
extern bool dh_heap_tails;

/* What a block must have room for. Before its tail it has what the C library would give: who
 * writes too far, and does no harm there, does none here. */
DH_INLINE size_t dh_with_tail(size_t size)
{
	if (!dh_heap_tails || size > DH_TAILED_MAX)
		return size;
	return DH_MAX(size, (size_t)DH_TAILED_LEAST) + DH_TAIL;
}

/* Units to a slab of the class. */
DH_INLINE unsigned dh_class_units(unsigned class)
{
	uint32_t size = dh_class_size(class);
	return size <= 1024 ? 4 : size <= 4096 ? 8 : 16;
}

DH_INLINE uint32_t dh_class_blocks(unsigned class)
{
	return dh_class_units(class) * DH_UNIT / dh_class_size(class);
}

/* The number whose product with an offset in a slab has the index of the block in its
 * bits from DH_MAGIC_SHIFT up: exact for offsets below 2^19 and the sizes above. */
enum { DH_MAGIC_SHIFT = 40 };

DH_INLINE uint64_t dh_class_magic(unsigned class)
{
	uint32_t size = dh_class_size(class);
	return (((uint64_t)1 << DH_MAGIC_SHIFT) + size - 1) / size;
}

#endif
