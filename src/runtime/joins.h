/* SPDX-License-Identifier: MIT */
/*
 * What came of reads that joined those of others, by the place of the program that made
 * them. A loop over an array that several threads read finds the same reads in one granule
 * after the other, and joins its own to them: then neither the site of the place nor the
 * memo of sets has to be asked again.
 *
 * Concurrency: the thread itself, and its signal handlers at any moment: who looks finds a
 * whole entry or none, and handlers change nothing (struct dh_handler).
 */
#ifndef DH_RUNTIME_JOINS_H
#define DH_RUNTIME_JOINS_H

#include "runtime/thread.h"

DH_INLINE struct dh_join *dh_join_of(const struct dh_self *t, uint64_t pc)
{
	_Static_assert(DH_JOINS == 1 << 4, "as many bits");
	return &t->state->joins[(uint32_t)pc * 0x9e3779b1u >> (32 - 4)];
}

/* What comes of a cell's reads and one at pc in the present context and time frame, where
 * the last one there has met the same; else 0. The thread is watched. */
DH_INLINE dh_record dh_join_recalled(const struct dh_self *t, uint64_t pc, dh_record old)
{
	const struct dh_join *j = dh_join_of(t, pc);
	const dh_record made = j->made;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return j->old == old && j->pc == pc && j->now == t->now && j->node == t->top->node
		   ? made
		   : 0;
}

DH_INLINE void dh_join_note(const struct dh_self *t, uint64_t pc, dh_record old,
			    dh_record made)
{
	struct dh_join *j = dh_join_of(t, pc);
	j->old = 0; /* no read joins none */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	j->made = made;
	j->pc = pc;
	j->now = t->now;
	j->node = t->top->node;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	j->old = old;
}

#endif
