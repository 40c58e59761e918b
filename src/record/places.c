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

/* Calls f for each page that is there and has some of the range. */
typedef void page_visit(uint64_t number, struct dh_places_page *page,
			const struct part *range, void *with);

static void visit_page(struct dh_places *p, uint64_t number, const struct part *range,
		       page_visit *f, void *with)
{
	uint64_t *at = dh_map_get(&p->pages, number);
	if (at)
		f(number, (struct dh_places_page *)(uintptr_t)*at, range, with);
}

static void each_page(struct dh_places *p, struct part range, page_visit *f, void *with)
{
	if (range.from >= range.to)
		return;
	uint64_t first = range.from / DH_PLACES_GRANULES;
	uint64_t last = (range.to - 1) / DH_PLACES_GRANULES;
	if (last - first < p->pages.cap) {
		for (uint64_t n = first; n <= last; n++)
			visit_page(p, n, &range, f, with);
		return;
	}
	for (size_t i = 0; i < p->pages.cap; i++) {
		uint64_t n = p->pages.slots[i].key;
		if (p->pages.used[i] && n >= first && n <= last)
			visit_page(p, n, &range, f, with);
	}
}

static void clear_part(uint64_t number, struct dh_places_page *page,
		       const struct part *range, void *with)
{
	size_t first, last;
	(void)with;
	part_of_page(range, number, &first, &last);
	if (first < last)
		memset(page->at + first, 0, (last - first) * sizeof page->at[0]);
}

void dh_places_clear(struct dh_places *p, uint64_t address, uint64_t size)
{
	each_page(p, granules(address, size), clear_part, NULL);
}

struct telling {
	dh_places_visit *f;
	void *context;
};

static void tell_part(uint64_t number, struct dh_places_page *page,
		      const struct part *range, void *with)
{
	const struct telling *t = with;
	size_t first, last;
	part_of_page(range, number, &first, &last);
	for (size_t i = first; i < last; i++)
		if (page->at[i])
			t->f(t->context, (number * DH_PLACES_GRANULES + i) * 8,
			     page->at[i]);
}

void dh_places_each(struct dh_places *p, uint64_t address, uint64_t size,
		    dh_places_visit *f, void *context)
{
	struct part range = granules(address & ~(uint64_t)7, size + address % 8);
	each_page(p, range, tell_part, &(struct telling){f, context});
}
