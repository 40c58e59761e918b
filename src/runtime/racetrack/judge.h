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
 * repeat; an atomic one that is none; and a plain one in the settings of the paper.
 * flags: enum dh_access_flags. */
void dh_rt_judge(struct dh_self *t, uintptr_t addr, unsigned size, bool write,
		 uint64_t pc);
void dh_rt_judge_atomic(struct dh_self *t, uintptr_t addr, unsigned size, unsigned flags,
			uint64_t pc);
void dh_rt_judge_paper(struct dh_self *t, uintptr_t addr, unsigned size, unsigned flags,
		       uint64_t pc);

/* The first of these where it is no repeat and has been noted in its line. */
void dh_rt_judge_first(struct dh_self *t, struct dh_line *l, uintptr_t addr,
		       unsigned size, bool write, uint64_t pc);

/* Lets the entry points do what they can of it by themselves (first.c). */
void dh_rt_first_use(struct dh_self *t);

/* A plain access to whole granules, at least DH_RT_RANGE_LEAST bytes. */
void dh_rt_judge_range(struct dh_self *t, uintptr_t from, uintptr_t to, unsigned flags,
		       uint64_t pc);

/* May another thread have written the granule last, not ordered before the present? */
bool dh_rt_is_unknown(const struct dh_self *t, uintptr_t granule);

/* Something of this time frame is on record: it has to end at the next release. */
void dh_rt_leave_trace(struct dh_self *t);

#endif
