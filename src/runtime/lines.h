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
	DH_TURN_SHIFT = 41,    /* above the number of a line in a key */
	DH_LINE_WORD_BITS = 48,
};

/* For four bytes a bit: `read` of what was accessed at all, `written` of what was written.
 * And what the engine has of the line, whatever the turn: the
 * address of a word of its own, in the lower DH_LINE_WORD_BITS but the lowest three, and
 * the value that this has as long as the line may be used directly; or 0. */
struct dh_line {
	uint64_t key; /* line and turn; 0: none */
	uint32_t read, written;
	uint64_t seen, direct;
};
_Static_assert(sizeof(struct dh_line) == 32, "two to a cache line");

/* For each byte a bit, likewise. */
struct dh_byte_line {
	uint64_t key;
	uint64_t read, written;
};

/* What the engine does with an access of 1, 2, 4 or 8 bytes, a read or a write, that is
 * nothing of this: the thread need not be `inside`. l is the place for its line, which
 * may have another. */
typedef void dh_line_first(uintptr_t addr, uint64_t pc, struct dh_line *l);

/* The same at any offset, of at most eight bytes. */
typedef void dh_line_loose(uintptr_t addr, unsigned size, uint64_t pc);

DH_INLINE unsigned dh_line_kind(unsigned size, bool write)
{
	return (unsigned)__builtin_ctz(size) << 1 | write;
}

struct dh_lines {
	struct dh_line *at; /* or NULL: there are no tables */
	struct dh_byte_line *bytes;
	uint32_t mask, byte_mask; /* of their numbers */
	uint64_t turn;		  /* a multiple of DH_TURN */
	uint64_t repeats;	  /* accesses that ended here */
	uintptr_t last;		  /* the last address that one was so used for, */
	uint64_t directs;	  /* and how often that was */
	dh_line_first *first[8];  /* by dh_line_kind() */
	dh_line_loose *loose[2];  /* reads, writes */
	/* For the engine alone: */
	uint32_t misses, byte_misses;
};

/* From one turn to the next. */
#define DH_TURN ((uint64_t)1 << DH_TURN_SHIFT)

DH_INLINE uint64_t dh_line_key(const struct dh_lines *t, uintptr_t line)
{
	return line | t->turn;
}

/* The number of the line that a key is for. */
DH_INLINE uintptr_t dh_line_number(uint64_t key)
{
	return key & (DH_TURN - 1);
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
	return (size == 8 ? 3u : 1u) << ((unsigned)(addr >> 2) & 31);
}

DH_INLINE uint64_t dh_byte_line_bits(uintptr_t addr, unsigned size)
{
	return (((uint64_t)1 << size) - 1) << (addr & 63);
}

/* What was done of a kind, and that this is done: one instruction for each word, where
 * the compiler has nothing to put together. */
#define DH_LINE_HAS(l, write) ((write) ? (l)->written : (l)->read)
#define DH_LINE_ADD(l, bits, write)                                                      \
	do {                                                                             \
		__atomic_signal_fence(__ATOMIC_SEQ_CST);                                 \
		(l)->read |= (bits);                                                     \
		__atomic_signal_fence(__ATOMIC_SEQ_CST);                                 \
		if (write)                                                               \
			(l)->written |= (bits);                                          \
	} while (0)

/* Are the bits of an access set? Those that would lie beyond the line are not. */
DH_INLINE bool dh_byte_line_all(uint64_t bits, uintptr_t addr, unsigned size)
{
	return size == 1 ? bits >> (addr & 63) & 1
			 : !(~(bits >> (addr & 63)) & ((1u << size) - 1));
}

DH_INLINE bool dh_line_all(uint32_t bits, uintptr_t addr, unsigned size)
{
	uint32_t from = bits >> ((unsigned)(addr >> 2) & 31);
	return size == 8 ? !(~from & 3) : from & 1;
}

/* Is it known to repeat? size: 1, 2, 4 or 8 bytes, addr in the first of them that are
 * aligned; l is the place for its line. There are tables. */
DH_INLINE bool dh_lines_have(struct dh_lines *t, const struct dh_line *l, uintptr_t addr,
			     unsigned size, bool write)
{
	if (size < 4) { /* by itself, */
		uintptr_t line = addr >> DH_BYTE_LINE_BITS;
		const struct dh_byte_line *b = dh_byte_line_of(t, line);
		if (b->key == dh_line_key(t, line) &&
		    dh_byte_line_all(DH_LINE_HAS(b, write), addr, size)) {
			t->repeats++;
			return true;
		} /* or as a part of more */
	}
	if (l->key != dh_line_key(t, addr >> DH_LINE_BITS) ||
	    !dh_line_all(DH_LINE_HAS(l, write), addr, size))
		return false;
	t->repeats++;
	return true;
}

/* Which bytes from addr on, in its line for small accesses, were so used: a bit for each of
 * the next eight. l is the place for the larger line of addr. */
DH_INLINE uint64_t dh_lines_bytes(const struct dh_lines *t, const struct dh_line *l,
				  uintptr_t addr, bool write)
{
	uintptr_t line = addr >> DH_BYTE_LINE_BITS;
	const struct dh_byte_line *b = dh_byte_line_of(t, line);
	uint64_t have = b->key == dh_line_key(t, line) ? DH_LINE_HAS(b, write) : 0;
	if (l->key == dh_line_key(t, addr >> DH_LINE_BITS)) {
		/* Three bits, each of them four times. */
		uint64_t units = DH_LINE_HAS(l, write) >> ((addr >> 2) & 31) & 7;
		have |= ((units | units << 3 | units << 6) & 0x111) * 15 << (addr & 60);
	}
	return have >> (addr & 63);
}

/* Is an access at any offset, of at most eight bytes, known to repeat: by itself, */
DH_INLINE bool dh_lines_have_loose(struct dh_lines *t, uintptr_t addr, unsigned size,
				   bool write)
{
	uintptr_t line = addr >> DH_BYTE_LINE_BITS;
	const struct dh_byte_line *b = dh_byte_line_of(t, line);
	if (b->key != dh_line_key(t, line) ||
	    !dh_byte_line_all(DH_LINE_HAS(b, write), addr, size))
		return false;
	t->repeats++;
	return true;
}

/* or as parts of others, in one line for small accesses, */
DH_INLINE bool dh_lines_have_all(const struct dh_lines *t, uintptr_t addr, unsigned size,
				 bool write)
{
	const struct dh_line *l = dh_line_of(t, addr >> DH_LINE_BITS);
	return !(~dh_lines_bytes(t, l, addr, write) & (((uint64_t)1 << size) - 1));
}

DH_INLINE bool dh_lines_have_parts(struct dh_lines *t, uintptr_t addr, unsigned size,
				   bool write)
{
	bool all = dh_lines_have_all(t, addr, size, write);
	t->repeats += all;
	return all;
}

/* or in two? */
DH_INLINE bool dh_lines_are_two(uintptr_t addr, unsigned size)
{
	return (addr & 63) + size > (uintptr_t)1 << DH_BYTE_LINE_BITS;
}

DH_INLINE bool dh_lines_have_both(struct dh_lines *t, uintptr_t addr, unsigned size,
				  bool write)
{
	unsigned here = (1u << DH_BYTE_LINE_BITS) - (unsigned)(addr & 63);
	bool all = dh_lines_have_all(t, addr, here, write) &&
		   dh_lines_have_all(t, addr + here, size - here, write);
	t->repeats += all;
	return all;
}

/* Where a line is refined and the thread may use it directly (racetrack/direct.h), its
 * cells are at another address, which is in the word of the line. Is that so for the line
 * of addr, as far as the engine's word goes? `direct` is not 0. */
DH_INLINE bool dh_line_is_direct(const struct dh_line *l, uintptr_t addr)
{
	const uint64_t where = ((uint64_t)1 << DH_LINE_WORD_BITS) - 8;
	const uint64_t *word = (const uint64_t *)(uintptr_t)(l->seen & where);
	return (l->key ^ addr >> DH_LINE_BITS) << (64 - DH_TURN_SHIFT) == 0 &&
	       __atomic_load_n(word, __ATOMIC_RELAXED) == l->direct;
}

/* The address of the cells then. */
enum { DH_LINE_ASIDE = 4, DH_LINE_ASIDE_BIT = 47 };

DH_INLINE uintptr_t dh_line_aside(struct dh_lines *t, const struct dh_line *l,
				  uintptr_t addr)
{
	t->last = addr;
	t->directs++;
	return ((l->direct >> (DH_LINE_ASIDE + 3)) * 8 +
		(addr & (((uintptr_t)1 << DH_LINE_BITS) - 1))) |
	       (uintptr_t)1 << DH_LINE_ASIDE_BIT;
}

#endif
