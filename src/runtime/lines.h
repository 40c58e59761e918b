/* SPDX-License-Identifier: MIT */
/*
 * What a thread has done in its time frame, by lines of memory, for an engine that sees
 * every access (observer.h) and wants the first of each kind only (MultiRace, section
 * 3.3): an access that repeats an earlier one, with the same bytes and no more than its
 * kind, ends here, in the entry point.
 *
 * Two direct-mapped tables of the thread's own: one for accesses of four and eight bytes,
 * which are most and have long lines with few bits, one for smaller ones. The engine
 * makes and fills them; without them (fasttrack, other engines) nothing is found. Turns
 * end what they say: one begins with every time frame (dh_thread_look), and whenever the
 * engine wants.
 *
 * Context: the thread itself, in signal handlers too. Part of the layout of hot.h.
 */
#ifndef DH_RUNTIME_LINES_H
#define DH_RUNTIME_LINES_H

#include "base/base.h"

enum {
	DH_LINE_BITS = 7,      /* of addresses in a line */
	DH_BYTE_LINE_BITS = 6, /* the same for small accesses */
	DH_TURN_BITS = 23,     /* beside the number of a line in a key */
};

/* For four bytes a bit. */
struct dh_line {
	uint64_t key; /* line and turn; 0: none */
	uint32_t read, written;
};

/* For each byte a bit. */
struct dh_byte_line {
	uint64_t key;
	uint64_t read, written;
};

struct dh_lines {
	struct dh_line *at;	    /* or NULL */
	struct dh_byte_line *bytes; /* or NULL */
	uint32_t mask, byte_mask;   /* of their numbers */
	uint64_t turn;
	uint64_t repeats; /* accesses that ended here */
	/* For the engine alone: */
	uint64_t *words; /* one to each of `at` */
	uint32_t misses, byte_misses;
};

DH_INLINE uint64_t dh_line_key(const struct dh_lines *t, uintptr_t line)
{
	return (uint64_t)line << DH_TURN_BITS |
	       (t->turn & (((uint64_t)1 << DH_TURN_BITS) - 1));
}

/* The places for a line, by its number. */
DH_INLINE struct dh_line *dh_line_of(const struct dh_lines *t, uintptr_t line)
{
	return &t->at[(line ^ line >> 11) & t->mask];
}

DH_INLINE struct dh_byte_line *dh_byte_line_of(const struct dh_lines *t, uintptr_t line)
{
	return &t->bytes[(line ^ line >> 11) & t->byte_mask];
}

/* The bits of an aligned access of 4 or 8 bytes, and of a smaller one. */
DH_INLINE uint32_t dh_line_bits(uintptr_t addr, unsigned size)
{
	return (size == 8 ? 3u : 1u) << (addr >> 2 & 31);
}

DH_INLINE uint64_t dh_byte_line_bits(uintptr_t addr, unsigned size)
{
	return (((uint64_t)1 << size) - 1) << (addr & 63);
}

/* Is it known to repeat? size: 1, 2, 4 or 8 bytes, addr a multiple of it. */
DH_INLINE bool dh_lines_have(struct dh_lines *t, uintptr_t addr, unsigned size,
			     bool write)
{
	if (size >= 4) {
		uintptr_t line = addr >> DH_LINE_BITS;
		if (!t->at)
			return false;
		const struct dh_line *l = dh_line_of(t, line);
		if (l->key != dh_line_key(t, line) ||
		    (dh_line_bits(addr, size) & ~(l->written | (write ? 0 : l->read))))
			return false;
	} else {
		uintptr_t line = addr >> DH_BYTE_LINE_BITS;
		if (!t->bytes)
			return false;
		const struct dh_byte_line *l = dh_byte_line_of(t, line);
		if (l->key != dh_line_key(t, line) ||
		    (dh_byte_line_bits(addr, size) &
		     ~(l->written | (write ? 0 : l->read))))
			return false;
	}
	t->repeats++;
	return true;
}

#endif
