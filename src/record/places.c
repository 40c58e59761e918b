/* SPDX-License-Identifier: MIT */
/* See places.h. */
#include "record/places.h"

#include "base/mem.h"

#include <string.h>

void dh_places_free(struct dh_places *p)
{
	for (size_t i = 0; i < p->pages.cap; i++)
		if (p->pages.used[i])
			dh_mem_free((void *)(uintptr_t)p->pages.slots[i].value,
				    sizeof(struct dh_places_page));
	dh_map_free(&p->pages);
}

static struct dh_places_page *page_of(struct dh_places *p, uint64_t number)
{
	bool fresh;
	uint64_t *at = dh_map_put(&p->pages, number, &fresh);
	if (fresh)
		*at = (uintptr_t)dh_mem_alloc(sizeof(struct dh_places_page));
	return (struct dh_places_page *)(uintptr_t)*at;
}

uint32_t *dh_places_slot(struct dh_places *p, uint64_t address)
{
	uint64_t number = address >> DH_PLACES_PAGE_BITS;
	unsigned i = number % DH_PLACES_NEAR;
	if (DH_UNLIKELY(!p->near[i].page || p->near[i].number != number)) {
		p->near[i].number = number;
		p->near[i].page = page_of(p, number);
	}
	return &p->near[i].page->at[address / 8 % DH_PLACES_GRANULES];
}

/* ---- ranges ---- */

struct part {
	uint64_t from, to; /* numbers of granules */
};

/* Those of its granules that the page has of the range: first, and one past the last. */
static void part_of_page(const struct part *range, uint64_t page, size_t *first,
			 size_t *last)
{
	uint64_t base = page * DH_PLACES_GRANULES;
	*first = range->from > base ? range->from - base : 0;
	*last =
	    range->to < base + DH_PLACES_GRANULES ? range->to - base : DH_PLACES_GRANULES;
}

static struct part granules(uint64_t address, uint64_t size)
{
	uint64_t from = address / 8 + (address % 8 != 0);
	uint64_t to = size ? (address + size - 1) / 8 + 1 : from;
	return (struct part){from, DH_MAX(from, to)};
}

static void clear_page(struct dh_places *p, uint64_t page, const struct part *range)
{
	uint64_t *at = dh_map_get(&p->pages, page);
	size_t first, last;
	part_of_page(range, page, &first, &last);
	if (at && first < last)
		memset(((struct dh_places_page *)(uintptr_t)*at)->at + first, 0,
		       (last - first) * sizeof(uint32_t));
}

void dh_places_clear(struct dh_places *p, uint64_t address, uint64_t size)
{
	struct part range = granules(address, size);
	if (range.from >= range.to)
		return;
	uint64_t first = range.from / DH_PLACES_GRANULES;
	uint64_t last = (range.to - 1) / DH_PLACES_GRANULES;
	if (last - first < p->pages.cap) {
		for (uint64_t n = first; n <= last; n++)
			clear_page(p, n, &range);
		return;
	}
	for (size_t i = 0; i < p->pages.cap; i++) {
		uint64_t n = p->pages.slots[i].key;
		if (p->pages.used[i] && n >= first && n <= last)
			clear_page(p, n, &range);
	}
}

static void visit_page(struct dh_places *p, uint64_t page, const struct part *range,
		       dh_places_visit *f, void *context)
{
	uint64_t *at = dh_map_get(&p->pages, page);
	size_t first, last;
	if (!at)
		return;
	struct dh_places_page *here = (struct dh_places_page *)(uintptr_t)*at;
	part_of_page(range, page, &first, &last);
	for (size_t i = first; i < last; i++)
		if (here->at[i])
			f(context, (page * DH_PLACES_GRANULES + i) * 8, here->at[i]);
}

void dh_places_each(struct dh_places *p, uint64_t address, uint64_t size,
		    dh_places_visit *f, void *context)
{
	struct part range = granules(address & ~(uint64_t)7, size + address % 8);
	if (range.from >= range.to)
		return;
	uint64_t first = range.from / DH_PLACES_GRANULES;
	uint64_t last = (range.to - 1) / DH_PLACES_GRANULES;
	if (last - first < p->pages.cap) {
		for (uint64_t n = first; n <= last; n++)
			visit_page(p, n, &range, f, context);
		return;
	}
	for (size_t i = 0; i < p->pages.cap; i++) {
		uint64_t n = p->pages.slots[i].key;
		if (p->pages.used[i] && n >= first && n <= last)
			visit_page(p, n, &range, f, context);
	}
}
