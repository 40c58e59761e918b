/* SPDX-License-Identifier: MIT */
/*
 * The table of what a thread has done in its time frame (runtime/lines.h), as this engine
 * keeps it: with each line the object in it that was asked for last, so that it need not
 * be looked for again, in later time frames too.
 * Memory that the thread itself gives back or gets is taken out; what others give back or
 * get ends the turn of a thread when it next learns of anything (dh_rt_lines_learn), and
 * at once where it is a mapping (dh_rt_lines_end_turn): a thread needs to learn nothing
 * to go on with the same addresses.
 *
 * Context: hooks of the thread itself. Allocates when it grows.
 */
#ifndef DH_RUNTIME_RACETRACK_LINES_H
#define DH_RUNTIME_RACETRACK_LINES_H

#include "runtime/heap_slab.h"
#include "runtime/racetrack/objects.h"
#include "runtime/racetrack/rt.h"

/* Makes the tables, and frees what was made. */
struct dh_lines *dh_rt_lines_make(struct dh_self *t);
void dh_rt_lines_free(struct dh_lines *made);

/* The line, which has this number already, begins the turn if it has not. */
DH_INLINE void dh_rt_line_begin(const struct dh_self *t, struct dh_line *l,
				uintptr_t line)
{
	uint64_t key = dh_line_key(&t->lines, line);
	if (l->key == key)
		return;
	l->key = key;
	l->read = l->written = 0;
}

/* The line is made the one of addr in this turn, if it is not; the slow one where it is
 * not in the table. Valid until the next call. */
struct dh_line *dh_rt_line_take_slow(struct dh_self *t, uintptr_t line);

DH_INLINE struct dh_line *dh_rt_line_take(struct dh_self *t, uintptr_t addr)
{
	uintptr_t line = addr >> DH_LINE_BITS;
	struct dh_line *l = dh_line_of(&t->lines, line);
	if (DH_UNLIKELY(dh_line_number(l->key) != line))
		return dh_rt_line_take_slow(t, line);
	dh_rt_line_begin(t, l, line);
	return l;
}

/* The bits of the parts of four bytes that are wholly in an access of at most eight, all
 * of them in one line. */
DH_INLINE uint32_t dh_rt_unit_bits(uintptr_t addr, unsigned size)
{
	unsigned at = (unsigned)addr & (DH_RT_LINE - 1), to = (at + size) >> 2;
	unsigned from = (at + 3) >> 2;
	return (uint32_t)((((uint64_t)1 << to) - 1) & ~(((uint64_t)1 << from) - 1));
}

/* The table for small accesses has at most so many lines. */
enum { DH_RT_BYTE_LINES = 16384 };

/* Notes a small access. False where it is a repeat. */
bool dh_rt_byte_line_note(struct dh_self *t, uintptr_t addr, unsigned size, bool write);

/* What a line has in `seen`: the object in it that was found last, as the
 * address of its word, or 0, with 1 added for a block of the heap; and above it, in units
 * of 8 bytes, from where, counted from one line before, and how far it goes. Or with 2
 * added the slab of the line's blocks, where each ends with its word. With 4 added it is
 * the whole line. */
enum {
	DH_RT_SEEN_HEAP = 1,
	DH_RT_SEEN_SLAB = 2,
	DH_RT_SEEN_LINE = 4,
	DH_RT_SEEN_FROM = DH_LINE_WORD_BITS,
	DH_RT_SEEN_LENGTH = 56
};

/* The word of the object; NULL where addr is not in it. *start is its address, *length
 * how far it goes. */
DH_INLINE dh_rt_word *dh_rt_seen_word(uint64_t seen, uintptr_t addr, uintptr_t *start,
				      uint32_t *length)
{
	if (seen & DH_RT_SEEN_SLAB) {
		const struct dh_slab *s =
		    (const struct dh_slab *)(uintptr_t)(seen - DH_RT_SEEN_SLAB);
		/* Once: the slab may be going, with what is in its memory. */
		uintptr_t base = __atomic_load_n(&s->base, __ATOMIC_RELAXED);
		uint64_t index = dh_slab_index(s, base, addr);
		*length = s->size;
		*start = base + index * s->size;
		return DH_LIKELY(index < s->blocks) ? dh_slab_tail(s, *start) : NULL;
	}
	const uint64_t low = ((uint64_t)1 << DH_RT_SEEN_FROM) - 8;
	if (seen & DH_RT_SEEN_LINE) {
		*length = DH_RT_LINE;
		*start = addr & ~(uintptr_t)(DH_RT_LINE - 1);
		return (dh_rt_word *)(uintptr_t)(seen & low);
	}
	*start = (addr & ~(uintptr_t)(DH_RT_LINE - 1)) - DH_RT_LINE +
		 (seen >> DH_RT_SEEN_FROM & 0xff) * 8;
	*length = (uint32_t)(seen >> DH_RT_SEEN_LENGTH) * 8;
	return addr - *start < *length ? (dh_rt_word *)(uintptr_t)(seen & low) : NULL;
}

/* Makes the line know its slab, if its blocks have tails. */
DH_INLINE bool dh_rt_line_see_slab(struct dh_line *l, uintptr_t addr)
{
	const struct dh_slab *slab = dh_slab_of(addr);
	if (!slab || !slab->tailed)
		return false;
	l->seen = (uintptr_t)slab | DH_RT_SEEN_SLAB;
	l->direct = 0;
	return true;
}

/* The object of addr, by what is known of its line where that will do; false where there
 * is no memory for its word. */
bool dh_rt_line_find_slow(struct dh_line *l, uintptr_t addr, struct dh_rt_object *o);

DH_INLINE bool dh_rt_line_find(struct dh_line *l, uintptr_t addr, struct dh_rt_object *o)
{
	o->word = dh_rt_seen_word(l->seen, addr, &o->start, &o->length);
	if (!o->word)
		return dh_rt_line_find_slow(l, addr, o);
	o->base = o->start;
	o->size = o->length;
	o->heap = l->seen & (DH_RT_SEEN_HEAP | DH_RT_SEEN_SLAB);
	return true;
}

/* The thread has got or given back this memory. */
void dh_rt_lines_forget(struct dh_self *t, uintptr_t from, uintptr_t to);

/* Memory that others than the calling thread may have used has changed hands. */
void dh_rt_lines_reused(void);

/* How often that was. */
uint64_t dh_rt_lines_reuses(void);

/* Ends the turn of another thread, which may be ending it itself: what either does to the
 * number, nothing was noted under the one that it then has. */
void dh_rt_lines_end_turn(struct dh_lines *of);

/* The thread has learned of what others did. */
void dh_rt_lines_learn(struct dh_self *t);

/* Objects that were found are not known any more if blocks of the heap may have moved. */
void dh_rt_lines_settle(struct dh_self *t);

#endif
