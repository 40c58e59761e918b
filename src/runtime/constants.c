/* SPDX-License-Identifier: MIT */
/* See constants.h. The ranges are found once, in ascending order; one that is forgotten
 * keeps its place, with an end before its start. */
#define _GNU_SOURCE
#include "runtime/constants.h"
#include <link.h>
#include "runtime/observer.h"
#include "runtime/shadow.h"

enum { MOST = 512, PAGE = 4096 };

struct range {
	uintptr_t start;
	uintptr_t end; /* atomic */
};

static struct range ranges[MOST];
static uint32_t count; /* atomic; written once */
struct dh_constant_span dh_constant_spans[DH_CONSTANT_SPANS]; /* likewise, before */

static uint32_t inserted(uint32_t n, uintptr_t start, uintptr_t end)
{
	uint32_t i = n;
	if (start >= end || n == MOST)
		return n;
	for (; i > 0 && ranges[i - 1].start > start; i--)
		ranges[i] = ranges[i - 1];
	ranges[i] = (struct range){start, end};
	return n + 1;
}

/* Of ranges [from, to). */
static void span(struct dh_constant_span *s, uint32_t from, uint32_t to)
{
	uintptr_t end = 0;
	for (uint32_t i = from; i < to; i++)
		end = DH_MAX(end, ranges[i].end);
	if (from < to)
		*s = (struct dh_constant_span){ranges[from].start, end - ranges[from].start};
}

/* What is protected after relocating ends with the last whole page. */
static int look_at(struct dl_phdr_info *m, DH_UNUSED size_t size, void *n)
{
	uint32_t *found = n;
	for (int i = 0; i < m->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &m->dlpi_phdr[i];
		uintptr_t start = m->dlpi_addr + h->p_vaddr, end = start + h->p_memsz;
		if (h->p_type == PT_LOAD && !(h->p_flags & PF_W))
			*found = inserted(*found, start, end);
		else if (h->p_type == PT_GNU_RELRO)
			*found = inserted(*found, start, end & ~(uintptr_t)(PAGE - 1));
	}
	return 0;
}

/* From the first range to the last before the widest gap, and from there on. */
static void find_spans(uint32_t n)
{
	uint32_t cut = 0;
	uintptr_t widest = 0;
	for (uint32_t i = 1; i < n; i++) {
		uintptr_t gap = ranges[i].start - ranges[i - 1].end;
		if (ranges[i].start > ranges[i - 1].end && gap > widest) {
			widest = gap;
			cut = i;
		}
	}
	span(&dh_constant_spans[0], 0, cut);
	span(&dh_constant_spans[1], cut, n);
}

void dh_constants_note(void)
{
	uint32_t n = 0;
	dl_iterate_phdr(look_at, &n);
	find_spans(n);
	__atomic_store_n(&count, n, __ATOMIC_RELEASE);
}

/* How many begin at or before addr. */
static uint32_t begun(uintptr_t addr)
{
	uint32_t low = 0, high = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (ranges[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool dh_constant(uintptr_t addr)
{
	uint32_t i = begun(addr);
	return i && addr < __atomic_load_n(&ranges[i - 1].end, __ATOMIC_RELAXED);
}

void dh_constants_forget(uintptr_t addr, size_t size)
{
	for (uint32_t i = begun(addr + size - 1); size && i > 0; i--) {
		struct range *r = &ranges[i - 1];
		uintptr_t end = __atomic_load_n(&r->end, __ATOMIC_RELAXED);
		if (end <= addr)
			continue;
		__atomic_store_n(&r->end, 0, __ATOMIC_RELAXED);
		dh_shadow_wipe(r->start, end - r->start);
		if (dh_observer)
			dh_observe_fresh(r->start, end - r->start);
	}
}
