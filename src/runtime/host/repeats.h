/* SPDX-License-Identifier: MIT */
/*
 * What a guest has done in its present frame, so that the same need not be done again:
 * accesses to bytes of a granule, and acquiring loads of volatiles. Direct-mapped tables
 * of its own; looked at without a lock.
 *
 * What others do may end a repeat too (a granule's memory starts over, a volatile is
 * written): that is told by a mark, a number for each granule or volatile (hashed) that
 * is raised when it happens. A mark that two of them share is raised too often, never too
 * seldom.
 */
#ifndef DH_RUNTIME_HOST_REPEATS_H
#define DH_RUNTIME_HOST_REPEATS_H

#include "base/base.h"

enum { DH_REPEATS = 1024, DH_RECEIVED = 16, DH_MARK_BITS = 16 };

struct dh_repeat {
	uintptr_t granule;
	uint32_t frame;
	uint32_t mark;
	uint8_t read, write; /* the bytes that were */
};

struct dh_repeats {
	uint32_t frame; /* from 1 */
	uint32_t era;	/* of the frame */
	uint64_t count; /* repeats kept back */
	struct dh_repeat at[DH_REPEATS];
};

/* What was last received through a volatile. */
struct dh_received {
	uintptr_t addr;
	uint32_t mark;
};

extern uint32_t dh_marks[1 << DH_MARK_BITS];	      /* of granules; atomic */
extern uint32_t dh_volatile_marks[1 << DH_MARK_BITS]; /* atomic; 0: no volatile there */

DH_INLINE uint32_t dh_mark_place(uintptr_t addr)
{
	return (uint32_t)((addr >> 3) * 0x9e3779b97f4a7c15ull >> (64 - DH_MARK_BITS));
}

DH_INLINE uint32_t dh_mark(const uint32_t *marks, uintptr_t addr)
{
	/* Acquire: what was done before a mark was raised is seen by who finds it so. */
	return __atomic_load_n(&marks[dh_mark_place(addr)], __ATOMIC_ACQUIRE);
}

DH_INLINE void dh_mark_raise(uint32_t *marks, uintptr_t addr)
{
	uint32_t *m = &marks[dh_mark_place(addr)];
	if (DH_UNLIKELY(__atomic_add_fetch(m, 1, __ATOMIC_RELEASE) == 0))
		__atomic_add_fetch(m, 1, __ATOMIC_RELEASE); /* 0 is for what never was */
}

DH_INLINE struct dh_repeat *dh_repeat_of(struct dh_repeats *r, uintptr_t granule)
{
	return &r->at[(granule >> 3 ^ granule >> 13) % DH_REPEATS];
}

DH_INLINE bool dh_is_repeat(struct dh_repeats *r, uintptr_t granule, unsigned mask,
			    bool write)
{
	const struct dh_repeat *e = dh_repeat_of(r, granule);
	return e->granule == granule && e->frame == r->frame &&
	       (mask & ~(write ? e->write : e->read)) == 0 &&
	       e->mark == dh_mark(dh_marks, granule);
}

/* The access has been told to the engine. A write stands for reads too where both would
 * be judged by the same locks. Alone, or in the gate. */
DH_INLINE void dh_repeat_note(struct dh_repeats *r, uintptr_t granule, unsigned mask,
			      bool write, bool also_read)
{
	struct dh_repeat *e = dh_repeat_of(r, granule);
	uint32_t mark = dh_mark(dh_marks, granule);
	if (e->granule != granule || e->frame != r->frame || e->mark != mark)
		*e = (struct dh_repeat){granule, r->frame, mark, 0, 0};
	if (write)
		e->write |= (uint8_t)mask;
	if (!write || also_read)
		e->read |= (uint8_t)mask;
}

#endif
