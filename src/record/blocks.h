/* SPDX-License-Identifier: MIT */
/*
 * The heap blocks of the recorded program that are alive: from an address in one to its
 * serial number and where it begins. One thread.
 */
#ifndef DH_RECORD_BLOCKS_H
#define DH_RECORD_BLOCKS_H

#include "base/map.h"
#include "base/vec.h"

struct dh_heap_block {
	uint64_t base, size, serial;
};

struct dh_blocks {
	struct dh_map pages; /* number of a page -> struct page *: small blocks by where
				they begin */
	struct dh_vec(struct dh_heap_block) large; /* in no order */
	uint64_t count;				   /* serial numbers given, from 1 */
};

void dh_blocks_free(struct dh_blocks *b);

/* A block is given out; what was there before is not. A block that was freed stays until
 * then, for who still uses it. */
void dh_blocks_add(struct dh_blocks *b, uint64_t base, uint64_t size);

/* The block that an address is in; false where it is in none. */
bool dh_blocks_find(const struct dh_blocks *b, uint64_t address,
		    struct dh_heap_block *out);

#endif
