/* SPDX-License-Identifier: MIT */
/* See blocks.h. A block of at most a page is entered in the page where it begins, so it
 * is found from there or from the page before. */
#include "record/blocks.h"

enum { PAGE = 4096 };

struct page {
	struct dh_vec(struct dh_heap_block) at;
};

void dh_blocks_free(struct dh_blocks *b)
{
	for (size_t i = 0; i < b->pages.cap; i++) {
		if (!b->pages.used[i])
			continue;
		struct page *p = (struct page *)(uintptr_t)b->pages.slots[i].value;
		dh_vec_free(&p->at);
		dh_mem_free(p, sizeof *p);
	}
	dh_map_free(&b->pages);
	dh_vec_free(&b->large);
}

static struct page *page_of(const struct dh_blocks *b, uint64_t number)
{
	uint64_t *at = dh_map_get(&b->pages, number);
	return at ? (struct page *)(uintptr_t)*at : NULL;
}

static struct page *make_page(struct dh_blocks *b, uint64_t number)
{
	bool fresh;
	uint64_t *at = dh_map_put(&b->pages, number, &fresh);
	if (fresh)
		*at = (uintptr_t)dh_mem_alloc(sizeof(struct page));
	return (struct page *)(uintptr_t)*at;
}

static bool holds(const struct dh_heap_block *k, uint64_t address)
{
	return address - k->base < DH_MAX(k->size, 1);
}

/* Those that overlap a range. */
static void take_out(struct dh_heap_block *at, size_t *len, uint64_t base, uint64_t size)
{
	for (size_t i = 0; i < *len;)
		if (at[i].base < base + size && base < at[i].base + DH_MAX(at[i].size, 1))
			at[i] = at[--*len];
		else
			i++;
}

static void remove_all(struct dh_blocks *b, uint64_t base, uint64_t size)
{
	uint64_t first = base / PAGE ? base / PAGE - 1 : 0, last = (base + size) / PAGE;
	for (uint64_t n = first; n <= last; n++) {
		struct page *p = page_of(b, n);
		if (p)
			take_out(p->at.at, &p->at.len, base, size);
	}
	take_out(b->large.at, &b->large.len, base, size);
}

void dh_blocks_add(struct dh_blocks *b, uint64_t base, uint64_t size)
{
	struct dh_heap_block k = {base, size, ++b->count};
	remove_all(b, base, DH_MAX(size, 1));
	if (size <= PAGE)
		dh_vec_push(&make_page(b, base / PAGE)->at, k);
	else
		dh_vec_push(&b->large, k);
}

static bool find_in(const struct dh_heap_block *at, size_t n, uint64_t address,
		    struct dh_heap_block *out)
{
	for (size_t i = 0; i < n; i++)
		if (holds(&at[i], address)) {
			*out = at[i];
			return true;
		}
	return false;
}

bool dh_blocks_find(const struct dh_blocks *b, uint64_t address,
		    struct dh_heap_block *out)
{
	for (uint64_t back = 0; back <= 1; back++) {
		const struct page *p = page_of(b, address / PAGE - back);
		if (p && find_in(p->at.at, p->at.len, address, out))
			return true;
	}
	return find_in(b->large.at, b->large.len, address, out);
}
