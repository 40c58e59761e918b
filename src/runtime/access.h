/* SPDX-License-Identifier: MIT */
/*
 * FastTrack on the shadow: what happens at each read and write of the program.
 *
 * Cost model
 *   repeat in the same time frame   TLB hit, one or two loads of the cell, compare
 *   first access in a time frame    + site look-up, one locked instruction, a load of
 *                                   the other word, a compare with the clock
 *   several records                 + a set (sets.h)
 *
 * Two accesses at the same instant: each first makes its own record visible (locked
 * instruction) and then looks at the others', so at least one of the two sees the
 * other (MultiRace, section 3.3).
 *
 * The functions here may be called at any time by any thread, in signal handlers too.
 */
#ifndef DH_RUNTIME_ACCESS_H
#define DH_RUNTIME_ACCESS_H

#include "runtime/thread.h"

enum dh_access_flags {
	DH_ACCESS_WRITE = 1,
	DH_ACCESS_ATOMIC = 2,
	DH_ACCESS_FREE = 4, /* the write is the end of the memory's life */
};

/* The parts of the fast paths that are not fast. code says which bytes (record.h). */
void dh_access_slow(uintptr_t addr, unsigned code, unsigned flags, uint64_t pc);

/* Any range of bytes. */
void dh_access_range(uintptr_t addr, size_t size, unsigned flags, uint64_t pc);

/* An aligned access of 1, 2, 4 or 8 bytes. */
DH_INLINE void dh_access_read(uintptr_t addr, unsigned size, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	uintptr_t region = addr >> DH_REGION_BITS;
	size_t i = region % DH_TLB_ENTRIES;
	unsigned code = dh_code_of(addr, size);
	if (DH_LIKELY(t->tlb.at[i].region == region)) {
		struct dh_cell *c = dh_shadow_at(t->tlb.at[i].bias, addr);
		uint64_t key = dh_record_key(t->epoch, code, false);
		if (DH_LIKELY(dh_record_repeats(__atomic_load_n(&c->read, __ATOMIC_RELAXED),
						key) ||
			      dh_record_repeats(__atomic_load_n(&c->write, __ATOMIC_RELAXED),
						key)))
			return;
	}
	dh_access_slow(addr, code, 0, pc);
}

DH_INLINE void dh_access_write(uintptr_t addr, unsigned size, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	uintptr_t region = addr >> DH_REGION_BITS;
	size_t i = region % DH_TLB_ENTRIES;
	unsigned code = dh_code_of(addr, size);
	if (DH_LIKELY(t->tlb.at[i].region == region)) {
		struct dh_cell *c = dh_shadow_at(t->tlb.at[i].bias, addr);
		uint64_t key = dh_record_key(t->epoch, code, false);
		if (DH_LIKELY(dh_record_repeats(__atomic_load_n(&c->write, __ATOMIC_RELAXED),
						key)))
			return;
	}
	dh_access_slow(addr, code, DH_ACCESS_WRITE, pc);
}

#endif
