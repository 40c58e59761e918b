/* SPDX-License-Identifier: MIT */
/*
 * From memory to variables. A variable is a block: bytes of one granule (eight aligned
 * bytes) that have always been accessed together. Bytes that were never accessed belong
 * to none; where an access takes a part of a block, the block is split, and both parts
 * begin with its history (dh_stream_copy). So neighbouring bytes used by two threads are
 * two variables, and a long is one.
 *
 * With another granularity a block is a byte or a granule. Or a variable is a unit, which
 * may be larger than a granule: by annotation, or a heap block.
 *
 * Numbers are used again after the memory started over: how many there are is bounded by
 * how much memory the program uses at a time.
 *
 * Part of the host: for one who is alone there, but for dh_vars_find(). Allocates.
 */
#ifndef DH_RUNTIME_HOST_VARS_H
#define DH_RUNTIME_HOST_VARS_H

#include "base/map.h"
#include "base/vec.h"

struct dh_host;

enum dh_granularity { /* in the order of the option's choices */
		      DH_GRANULARITY_ADAPTIVE,
		      DH_GRANULARITY_BYTE,
		      DH_GRANULARITY_WORD,
		      DH_GRANULARITY_OBJECT,
};

enum { DH_BLOCKS = 8 }; /* of one granule at most */

struct dh_var {
	uintptr_t addr;	   /* of its first byte */
	size_t size;	   /* as known; its bytes need not be adjacent */
	uint32_t granules; /* of a unit or tomb */
	bool reported;
};

/* A range of units: so many bytes each, the last one maybe less. */
struct dh_unit {
	uintptr_t start;
	size_t size, each;
};

/* The chunk that a guest asked for last. */
struct dh_var_near {
	const struct dh_var_chunk *chunk;
	uint64_t dropped; /* as it was then */
};

struct dh_vars {
	enum dh_granularity granularity;
	struct dh_map chunks;	   /* address / chunk size -> chunk */
	struct dh_var_chunk *last; /* the one asked for last */
	struct dh_vec(struct dh_var) at;
	struct dh_vec(uint32_t) unused;
	struct dh_vec(struct dh_unit) units; /* later ones count for more */
	struct dh_map unit_vars;	     /* start of a unit -> its variable */
	uint64_t dropped;		     /* chunks */
	uint64_t splits;
	uint64_t peak; /* most variables at a time */
};

/* The variables that bytes of a granule are in now; numbers gets them, returns how many.
 * The thread makes the access: for the rule of repeats. */
unsigned dh_vars_of(struct dh_host *h, uint32_t thread, uintptr_t granule, unsigned mask,
		    uint32_t numbers[DH_BLOCKS]);

/* The same for one who is in the gate: 0 where a variable would have to be made or split.
 */
unsigned dh_vars_find(const struct dh_vars *v, struct dh_var_near *near,
		      uintptr_t granule, unsigned mask, uint32_t numbers[DH_BLOCKS]);

/* The bytes of the granule that are in the range. */
DH_INLINE unsigned dh_vars_mask(uintptr_t granule, uintptr_t addr, uintptr_t end)
{
	unsigned mask = 0xff;
	if (addr > granule)
		mask &= 0xffu << (addr - granule);
	if (end < granule + 8)
		mask &= 0xffu >> (granule + 8 - end);
	return mask;
}

/* Calls f for each granule of the range that has variables, with the bytes of it that are
 * in the range. f may clear it. */
void dh_vars_each(struct dh_host *h, uintptr_t addr, size_t size,
		  void (*f)(struct dh_host *h, uintptr_t granule, unsigned mask,
			    void *context),
		  void *context);

/* All granules of a range that have no variable get one together, a tomb: memory that is
 * freed. A granule that is accessed nevertheless gets its own, with the history of the
 * tomb. Returns its number, or UINT32_MAX where there was no such granule. */
uint32_t dh_vars_bury(struct dh_host *h, uintptr_t addr, size_t size);

/* The range starts over, as units of `each` bytes; 0: as one. */
void dh_vars_unit(struct dh_host *h, uint32_t thread, uintptr_t addr, size_t size,
		  size_t each);

/* There are no units in this range any more. */
void dh_vars_forget_units(struct dh_host *h, uintptr_t addr, size_t size);

/* May accesses to different bytes be one variable's? */
bool dh_vars_coarse(const struct dh_vars *v, uint32_t var);

/* These bytes start over; an event of the thread says so of each variable. */
void dh_vars_clear(struct dh_host *h, uint32_t thread, uintptr_t addr, size_t size);

#endif
