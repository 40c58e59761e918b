/* SPDX-License-Identifier: MIT */
/*
 * What came of the last access to a whole granule at a place of the program, where it was
 * not a repeat; or of the last read there of the same bytes of one, beside reads of others.
 * A loop over an array mostly finds the same in one granule after the other, and leaves the
 * same there: then neither the clock nor the site of the place nor the memo of sets has to
 * be asked again.
 *
 * Time frames with few accesses, as critical sections are, have no use for it. So it is
 * asked only where there have been some in this one; for reads that join those of others,
 * which are dearest, always.
 *
 * Concurrency: the thread itself, and its signal handlers at any moment: who looks finds a
 * whole entry or none, and handlers change nothing (struct dh_handler).
 */
#ifndef DH_RUNTIME_RECALL_H
#define DH_RUNTIME_RECALL_H

#include "runtime/thread.h"

/* So many of the dearer ones are enough in a time frame. Tests have fewer. */
#ifndef DH_FIRSTS_MANY
#define DH_FIRSTS_MANY 32
#endif

/* What an access was. */
enum dh_recall_how {
	DH_RECALL_WRITE = 1,
	DH_RECALL_PLAIN = 2, /* by a store: the record that went was the thread's own */
};

/* Is it worth a look in this time frame? */
DH_INLINE bool dh_recalls(const struct dh_self *t)
{
	return t->firsts >= DH_FIRSTS_MANY;
}

/* What stands for pc where an access is to some bytes alone: places in a loop over bytes find
 * something else for each of the eight. */
DH_INLINE uint64_t dh_recall_key(uint64_t pc, unsigned mask)
{
	enum { ABOVE_PC = 48 };
	return mask == DH_WHOLE
		   ? pc
		   : (pc + (unsigned)__builtin_ctz(mask)) | (uint64_t)mask << ABOVE_PC;
}

DH_INLINE struct dh_recall *dh_recall_of(const struct dh_self *t, uint64_t pc, bool write)
{
	enum { SIZE = sizeof(struct dh_recall), BITS = (DH_RECALLS - 1) * SIZE };
	_Static_assert((DH_RECALLS & (DH_RECALLS - 1)) == 0 && BITS < 1 << 11, "of a hash");
	char *at = (char *)t->state->recalls[write];
	return (struct dh_recall *)(at + ((uint32_t)pc * 0x9e3779b1u >> 21 & BITS));
}

/* Is the entry of an access at pc in the present context and time frame? Not where accesses
 * do not end on the cells. */
DH_INLINE bool dh_recall_is_of(const struct dh_self *t, const struct dh_recall *r,
			       uint64_t pc)
{
	return r->pc == pc && r->now == t->simply && r->node == t->top->node;
}

/* And did it find the same? */
DH_INLINE bool dh_recall_fits(const struct dh_self *t, const struct dh_recall *r,
			      uint64_t pc, dh_record read, dh_record write)
{
	return r->read == read && r->write == write && dh_recall_is_of(t, r, pc);
}

/* As dh_recall_note() where it is worth it. Not inlined: entry points end with it, and have
 * these in the same registers. */
static __attribute__((noinline, unused)) void
dh_recall_more(dh_record made, uint64_t pc, unsigned how, dh_record read, dh_record write)
{
	struct dh_self *t = dh_thread_base();
	const bool sole = __atomic_load_n(&t->sole, __ATOMIC_RELAXED);
	if (sole && !dh_record_is_tag(made)) { /* it is as quick without: not again for long */
		t->firsts = INT8_MIN;
		return;
	}
	struct dh_recall *r = dh_recall_of(t, pc, how & DH_RECALL_WRITE);
	const uint64_t seen = read ^ write;
	if (r->seen != seen) {
		r->seen = seen;
		return;
	}
	if (!seen || t->state->handler_count)
		return;
	r->pc = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	r->now = t->now;
	r->node = t->top->node;
	r->read = read;
	r->write = write;
	r->made = made;
	r->plain = sole || (how & DH_RECALL_PLAIN);
	r->joined = dh_record_is_tag(made);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	r->pc = pc;
}

/* An access at pc that was no repeat has found these in its cell and has made this of them:
 * of the reads, or of the write. Remembered where the one before has found the same. */
DH_INLINE void dh_recall_note(const struct dh_self *t, uint64_t pc, dh_record read,
			      dh_record write, dh_record made, unsigned how)
{
	if (dh_recalls(t))
		dh_recall_more(made, pc, how, read, write);
}

/* The same for one that is dear without. */
DH_INLINE void dh_recall_note_dear(struct dh_self *t, uint64_t pc, dh_record read,
				   dh_record write, dh_record made, unsigned how)
{
	if (!dh_recalls(t))
		t->firsts++;
	else
		dh_recall_more(made, pc, how, read, write);
}

/* The same for a read that joins those of others, in any time frame. */
DH_INLINE void dh_recall_join(struct dh_self *t, uint64_t pc, dh_record read,
			      dh_record write, dh_record made)
{
	if (!dh_recalls(t))
		t->firsts++;
	dh_recall_more(made, pc, 0, read, write);
}

#endif
