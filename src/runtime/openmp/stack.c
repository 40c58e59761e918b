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
	struct dh_cell *c = dh_shadow_find(from, false);
	size_t count = (to - from) / DH_GRANULE, i = 0;
	bool found = false;
	if (!c)
		return false;
	for (; i + 4 <= count; i += 4) {
		const dh_record *w = &c[i].write;
		_Static_assert(sizeof *c == 2 * sizeof *w, "cells follow each other");
		if (!(w[0] | w[1] | w[2] | w[3] | w[4] | w[5] | w[6] | w[7]))
			continue;
		dh_zero(&c[i], 4 * sizeof *c);
		found = true;
	}
	for (; i < count; i++) {
		found |= (c[i].write | c[i].read) != 0;
		c[i] = (struct dh_cell){0, 0};
	}
	return found;
}

static void clear_below(uintptr_t top, uintptr_t low)
{
	uintptr_t end = top & ~(uintptr_t)(DH_GRANULE - 1);
	uintptr_t start = (end - 1) & ~(uintptr_t)(BLOCK - 1);
	bool found;
	clear(start, end);
	do {
		end = start;
		start -= BLOCK;
		found = clear(start, end);
	} while (found || start > low);
}

/* What was cleared last, if no function was entered since, is clear. */
static __thread uintptr_t clear_from __attribute__((tls_model("initial-exec")));

void dh_omp_stack_fresh(struct dh_self *t, uintptr_t top)
{
	const struct dh_frame *next = t->top + 1;
	if (top <= clear_from && (next >= t->limit || !next->pc))
		return;
	uintptr_t low = lowest(t, top);
	clear_from = top;
	if (DH_UNLIKELY(dh_observer != NULL))
		dh_observe_fresh(low - BLOCK, top - low + BLOCK);
	else
		clear_below(top, low);
}
