/* SPDX-License-Identifier: MIT */
/*
 * What a thread has done since it last synchronised, by lines of memory: an access that
 * repeats an earlier one, with the same bytes and no more than its kind, is found here,
 * and nothing else is to be done. (The first access of each time frame is what matters:
 * MultiRace, section 3.3.) Where the access is new but the word of its line is as this
 * thread left it, the word need not be judged again either.
 *
 * A direct-mapped table of the thread's own. Turns (struct dh_rt_thread) end what it
 * says; memory that the thread itself gives back or gets is taken out.
 *
 * Context: hooks of the thread itself. Allocates when it grows.
 */
#ifndef DH_RUNTIME_RACETRACK_LINES_H
#define DH_RUNTIME_RACETRACK_LINES_H

#include "runtime/access.h"
#include "runtime/racetrack/objects.h"
#include "runtime/racetrack/rt.h"

enum { DH_RT_TURN_BITS = 24 };

/* Four bytes have a bit each way. */
struct dh_rt_line {
	uint64_t key; /* line and turn; 0: none */
	uint32_t read, written;
	const dh_rt_word *word; /* of the line, if it has one word; or NULL */
	dh_rt_word seen;	/* what that was when it was last judged */
};
_Static_assert(sizeof(struct dh_rt_line) == 32, "two to a cache line");

DH_INLINE uint64_t dh_rt_line_key(const struct dh_rt_thread *me, uintptr_t addr)
{
	return (uint64_t)(addr >> DH_RT_LINE_BITS) << DH_RT_TURN_BITS | me->turn;
}

DH_INLINE struct dh_rt_line *dh_rt_line_of(const struct dh_rt_thread *me, uintptr_t addr)
{
	uintptr_t n = addr >> DH_RT_LINE_BITS;
	return &me->lines[(n ^ n >> 11) & me->line_mask];
}

/* The bits of an aligned access of 4 or 8 bytes; 0 for a smaller one. */
DH_INLINE uint32_t dh_rt_line_bits(uintptr_t addr, unsigned size)
{
	uint32_t bits = size == 8 ? 3 : size == 4 ? 1 : 0;
	return bits << (addr >> 2 & 31);
}

/* The bits of whole granules of a line. */
DH_INLINE uint32_t dh_rt_line_range(uintptr_t from, uintptr_t to)
{
	uint32_t n = (uint32_t)(to - from) / 4;
	return (uint32_t)(((uint64_t)1 << n) - 1) << (from >> 2 & 31);
}

DH_INLINE bool dh_rt_line_has(const struct dh_rt_line *l, uint32_t bits, bool write)
{
	return !(bits & ~(l->written | (write ? 0 : l->read)));
}

/* Would this thread leave the word as it is? */
DH_INLINE bool dh_rt_line_stays(const struct dh_rt_line *l, bool write)
{
	return l->word && DH_LOAD(l->word) == l->seen &&
	       (!write || (l->seen & DH_RT_WROTE));
}

void dh_rt_lines_init(struct dh_rt_thread *me);
void dh_rt_lines_free(struct dh_rt_thread *me);

/* The line is made the one of addr in this turn, if it is not. */
struct dh_rt_line *dh_rt_line_take(struct dh_rt_thread *me, uintptr_t addr);

/* The thread has got or given back this memory. */
void dh_rt_lines_forget(struct dh_rt_thread *me, uintptr_t from, uintptr_t to);

DH_INLINE void dh_rt_next_turn(struct dh_rt_thread *me)
{
	me->turn = (me->turn + 1) & ((1u << DH_RT_TURN_BITS) - 1);
}

#endif
