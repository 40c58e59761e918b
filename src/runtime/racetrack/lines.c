/* SPDX-License-Identifier: MIT */
/* See lines.h. */
#include "runtime/racetrack/lines.h"
#include "base/mem.h"

enum { FIRST = 128, MOST = 4096 };

static void make(struct dh_rt_thread *me, uint32_t count)
{
	me->lines = dh_mem_alloc(count * sizeof *me->lines);
	me->line_mask = count - 1;
	me->line_misses = 0;
}

void dh_rt_lines_init(struct dh_rt_thread *me)
{
	make(me, FIRST);
}

void dh_rt_lines_free(struct dh_rt_thread *me)
{
	dh_mem_free(me->lines, (me->line_mask + 1) * sizeof *me->lines);
}

/* Of another line, and not of an earlier turn? */
static bool is_taken(const struct dh_rt_thread *me, const struct dh_rt_line *l)
{
	return ((l->key ^ me->turn) & ((1u << DH_RT_TURN_BITS) - 1)) == 0;
}

struct dh_rt_line *dh_rt_line_take(struct dh_rt_thread *me, uintptr_t addr)
{
	uint64_t key = dh_rt_line_key(me, addr);
	struct dh_rt_line *l = dh_rt_line_of(me, addr);
	if (l->key == key)
		return l;
	if (is_taken(me, l) && ++me->line_misses > 4 * me->line_mask &&
	    me->line_mask + 1 < MOST) {
		uint32_t count = (me->line_mask + 1) * 4;
		dh_rt_lines_free(me);
		make(me, count);
		l = dh_rt_line_of(me, addr);
	}
	*l = (struct dh_rt_line){.key = key};
	return l;
}

void dh_rt_lines_forget(struct dh_rt_thread *me, uintptr_t from, uintptr_t to)
{
	if ((to - from) >> DH_RT_LINE_BITS > 16) {
		dh_rt_next_turn(me);
		return;
	}
	for (uintptr_t at = from; at < to; at = (at | (DH_RT_LINE - 1)) + 1)
		dh_rt_line_of(me, at)->key = 0;
}
