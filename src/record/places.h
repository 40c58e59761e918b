/* SPDX-License-Identifier: MIT */
/*
 * What the program's memory is at present: a number for each granule of eight bytes that
 * something was done to, a new one whenever its memory starts afresh. The numbers are
 * dense, from 1, in the order of first use; so who goes over the same records once more,
 * and asks for the same, gets the same ones.
 *
 * One thread. Memory goes with the memory that the program touches.
 */
#ifndef DH_RECORD_PLACES_H
#define DH_RECORD_PLACES_H

#include "base/map.h"

enum {
	DH_PLACES_PAGE_BITS = 12,
	DH_PLACES_GRANULES = (1 << DH_PLACES_PAGE_BITS) / 8,
	DH_PLACES_NEAR = 256,
};

struct dh_places_page {
	uint32_t at[DH_PLACES_GRANULES];
};

struct dh_places {
	struct dh_map pages; /* number of the page -> struct dh_places_page * */
	uint32_t count;	     /* numbers given */
	struct {
		uint64_t number;
		struct dh_places_page *page;
	} near[DH_PLACES_NEAR]; /* pages used lately */
};

void dh_places_free(struct dh_places *p);

/* The number's place of the granule of an address, 0 where it has none yet. */
uint32_t *dh_places_slot(struct dh_places *p, uint64_t address);

/* The number of the granule of an address, a new one where it has none. */
DH_INLINE uint32_t dh_places_number(struct dh_places *p, uint64_t address)
{
	uint32_t *at = dh_places_slot(p, address);
	if (!*at)
		*at = ++p->count;
	return *at;
}

/* All granules that begin in [address, address + size) start afresh. */
void dh_places_clear(struct dh_places *p, uint64_t address, uint64_t size);

/* Calls f for each granule that begins in the range and has a number. */
typedef void dh_places_visit(void *context, uint64_t address, uint32_t number);
void dh_places_each(struct dh_places *p, uint64_t address, uint64_t size,
		    dh_places_visit *f, void *context);

#endif
