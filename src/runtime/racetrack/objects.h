/* SPDX-License-Identifier: MIT */
/*
 * From an address to the word of its object, for any address and in a few nanoseconds.
 *
 * A small block of the heap is an object: its words are beside the facts that the
 * allocator keeps of it (heap_slab.h). All other memory (large blocks, globals, stacks,
 * what other allocators have mapped) is cut into lines of DH_RT_LINE bytes. Blocks that
 * are larger than a line have a word for each line of theirs too: so large arrays are
 * refined by pieces, each when there is cause.
 *
 * Words of lines are in chunks, made when first touched; which pages of a chunk were
 * touched is noted, so that to make a large mapping fresh costs what was used of it.
 *
 * Concurrency: any thread; words are read and replaced as atomics. Allocates.
 */
#ifndef DH_RUNTIME_RACETRACK_OBJECTS_H
#define DH_RUNTIME_RACETRACK_OBJECTS_H

#include "runtime/lines.h"
#include "runtime/racetrack/words.h"

enum { DH_RT_LINE_BITS = DH_LINE_BITS, DH_RT_LINE = 1 << DH_RT_LINE_BITS };

/* An object, or a piece of one. */
struct dh_rt_object {
	dh_rt_word *word; /* atomic */
	uintptr_t start;  /* a multiple of 8 */
	uint32_t length;  /* at most DH_RT_LINE */
	uintptr_t base;	  /* what it is about: all of it, or a part */
	uint32_t size;
	bool heap; /* of a block of the heap */
};

/* False where there is no memory for its word. */
bool dh_rt_object_find(uintptr_t addr, struct dh_rt_object *out);

/* The word of a field: a granule, of the program (figure4.h) or aside (aside.h). NULL
 * where it has none, unless made. Fields aside, whose addresses begin at 0, have their
 * words in one stretch where address space is not rationed. */
#define DH_RT_FIELDS_FLAT ((uintptr_t)1 << 32)
extern dh_rt_word *dh_rt_fields_flat; /* or NULL */
dh_rt_word *dh_rt_field_far(uintptr_t addr, bool make);

DH_INLINE dh_rt_word *dh_rt_field(uintptr_t addr, bool make)
{
	return DH_LIKELY(dh_rt_fields_flat && addr < DH_RT_FIELDS_FLAT)
		   ? &dh_rt_fields_flat[addr >> 3]
		   : dh_rt_field_far(addr, make);
}

/* At start-up, for who keeps fields aside. */
void dh_rt_fields_init(void);

/* All words of fields that lie in [from, to) become Virgin. Calls f, if that is not NULL,
 * for each granule that was not. */
typedef void dh_rt_cleared(uintptr_t granule, dh_rt_word was);
void dh_rt_fields_clear(uintptr_t from, uintptr_t to, dh_rt_cleared *f);

/* Calls f for each object that was ever touched in [from, to), with the part of it that
 * is inside. */
typedef void dh_rt_each(struct dh_rt_object *o, void *with);
void dh_rt_objects_each(uintptr_t from, uintptr_t to, dh_rt_each *f, void *with);

/* Bytes for words. */
uint64_t dh_rt_objects_bytes(void);

#endif
