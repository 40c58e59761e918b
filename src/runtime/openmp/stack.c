/* SPDX-License-Identifier: MIT */
/* See stack.h. */
#include "runtime/openmp/stack.h"
#include "runtime/observer.h"

enum { BLOCK = 1024, DEEPEST = 256 << 20 };

/* The lowest stack pointer that a function was entered with since this was last asked:
 * frames beyond the top stay until others take their place. */
static uintptr_t lowest(struct dh_self *t, uintptr_t top)
{
	uint32_t deep = 0;
	for (struct dh_frame *f = t->top + 1; f < t->limit && f->pc; f++) {
		uint32_t below = (uint32_t)top - f->sp;
		if (below < DEEPEST)
			deep = DH_MAX(deep, below);
		f->pc = 0;
	}
	return top - deep;
}

/* The granules in [from, to), within one block; false where there was nothing. */
static bool clear(uintptr_t from, uintptr_t to)
{
	struct dh_cell *c = dh_shadow_find(from, 0, false);
	bool found = false;
	for (; c && from < to; from += DH_GRANULE, c++) {
		if (c->write | c->read) {
			*c = (struct dh_cell){0, 0};
			found = true;
		}
	}
	return found;
}

void dh_omp_stack_fresh(struct dh_self *t, uintptr_t top)
{
	uintptr_t low = lowest(t, top), end = top & ~(uintptr_t)(DH_GRANULE - 1);
	if (DH_UNLIKELY(dh_observer != NULL)) {
		dh_observe_fresh(low - BLOCK, top - low + BLOCK);
		return;
	}
	uintptr_t start = (end - 1) & ~(uintptr_t)(BLOCK - 1);
	bool found = clear(start, end);
	do {
		end = start;
		start -= BLOCK;
		found = clear(start, end);
	} while (found || start > low);
}
