/* SPDX-License-Identifier: MIT */
/*
 * The table of what a thread has done in its time frame (runtime/lines.h), as this engine
 * keeps it: with each line the word of its object, where the line has one word alone.
 * Memory that the thread itself gives back or gets is taken out; what others give back or
 * get ends the turn of a thread when it next learns of anything (dh_rt_lines_learn).
 *
 * Context: hooks of the thread itself. Allocates when it grows.
 */
#ifndef DH_RUNTIME_RACETRACK_LINES_H
#define DH_RUNTIME_RACETRACK_LINES_H

#include "runtime/racetrack/rt.h"

/* Makes the tables, and frees what was made. */
struct dh_lines *dh_rt_lines_make(struct dh_self *t);
void dh_rt_lines_free(struct dh_lines *made);

/* The line is made the one of addr in this turn, if it is not. Valid until the next
 * call. */
struct dh_line *dh_rt_line_take_slow(struct dh_self *t, uintptr_t line);

DH_INLINE struct dh_line *dh_rt_line_take(struct dh_self *t, uintptr_t addr)
{
	uintptr_t line = addr >> DH_LINE_BITS;
	struct dh_line *l = dh_line_of(&t->lines, line);
	return DH_LIKELY(l->key == dh_line_key(&t->lines, line))
		   ? l
		   : dh_rt_line_take_slow(t, line);
}

/* Notes a small access. False where it is a repeat. */
bool dh_rt_byte_line_note(struct dh_self *t, uintptr_t addr, unsigned size, bool write);

/* What is kept with a line: the word of its object, where that is a line of its own, with
 * 1 added for a block of the heap; or 0. */
DH_INLINE uint64_t *dh_rt_line_word(const struct dh_self *t, const struct dh_line *l)
{
	return &t->lines.words[l - t->lines.at];
}

/* The thread has got or given back this memory. */
void dh_rt_lines_forget(struct dh_self *t, uintptr_t from, uintptr_t to);

/* Memory that others than the calling thread may have used has changed hands. */
void dh_rt_lines_reused(void);

/* The thread has learned of what others did. */
void dh_rt_lines_learn(struct dh_self *t);

#endif
