/* SPDX-License-Identifier: MIT */
/*
 * What an access means for the objects that it touches.
 *
 * Context: hooks of the calling thread.
 */
#ifndef DH_RUNTIME_RACETRACK_JUDGE_H
#define DH_RUNTIME_RACETRACK_JUDGE_H

#include "runtime/racetrack/rt.h"

/* An access to a power of two of bytes, at most 8, aligned: a plain one, which may be a
 * repeat; an atomic one, likewise; and a plain one in the settings of the paper. flags:
 * enum dh_access_flags. */
void dh_rt_judge(struct dh_self *t, uintptr_t addr, unsigned size, bool write,
		 uint64_t pc);
void dh_rt_judge_atomic(struct dh_self *t, uintptr_t addr, unsigned size, unsigned flags,
			uint64_t pc);
void dh_rt_judge_paper(struct dh_self *t, uintptr_t addr, unsigned size, unsigned flags,
		       uint64_t pc);

/* The first of these where it is no repeat and has been noted in its line. */
void dh_rt_judge_first(struct dh_self *t, struct dh_line *l, uintptr_t addr,
		       unsigned size, bool write, uint64_t pc);

/* The same where it has been noted in the diary too, from this site; so is more of it, up
 * to `to`, where that is not 0. */
void dh_rt_judge_noted(struct dh_self *t, struct dh_line *l, uintptr_t addr,
		       unsigned size, uintptr_t to, bool write, uint32_t site,
		       uint64_t pc);

/* Lets the entry points do what they can of it by themselves (first.c). */
void dh_rt_first_use(struct dh_self *t);

/* The largest aligned power of two of bytes, at most 8, at the start of a range. */
DH_INLINE unsigned dh_rt_part_of(uintptr_t from, uintptr_t to)
{
	unsigned aligned = (unsigned)__builtin_ctzl(from | DH_GRANULE);
	unsigned left = 63 - (unsigned)__builtin_clzl(to - from);
	return 1u << DH_MIN(aligned, left);
}

/* How many bytes at the start of a range are in one granule. */
DH_INLINE unsigned dh_rt_run_of(uintptr_t from, uintptr_t to)
{
	return (unsigned)DH_MIN(to - from, DH_GRANULE - from % DH_GRANULE);
}

/* A plain access to any bytes. */
void dh_rt_judge_short(struct dh_self *t, uintptr_t from, uintptr_t to, bool write,
		       uint64_t pc);

/* The same to whole granules, at least DH_RT_RANGE_LEAST bytes. */
void dh_rt_judge_range(struct dh_self *t, uintptr_t from, uintptr_t to, unsigned flags,
		       uint64_t pc);

/* May another thread have written the granule last, not ordered before the present? */
bool dh_rt_is_unknown(struct dh_self *t, uintptr_t granule);

/* What the thread's accesses have in common as long as time frame and locks stay: before
 * anything is noted where me->epoch is not the thread's. */
void dh_rt_begin_frame(struct dh_self *t);

/* Something of this time frame is on record: it has to end at the next release. */
void dh_rt_leave_trace(struct dh_self *t);

#endif
