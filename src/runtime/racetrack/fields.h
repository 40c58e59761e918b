/* SPDX-License-Identifier: MIT */
/*
 * An access on the fields of a refined object: on the cells, which know the strong order,
 * and on the field's own word, which goes by locks and the weak order. And the reports
 * that cells do not make: of what is not ordered but by locks, `potential`, and of the
 * use of memory that was freed.
 *
 * Context: hooks of the calling thread.
 */
#ifndef DH_RUNTIME_RACETRACK_FIELDS_H
#define DH_RUNTIME_RACETRACK_FIELDS_H

#include "runtime/racetrack/step.h"

/* A power of two of bytes, at most 8, aligned. */
struct dh_rt_access {
	struct dh_self *t;
	uintptr_t addr;
	unsigned size;
	uintptr_t to;	/* of a range, of which this is a granule: its end; else 0 */
	unsigned flags; /* enum dh_access_flags */
	uint64_t pc;
	uint32_t site;
	struct dh_rt_step step;
	dh_rt_word left; /* the word of the object, as it was left */
	uintptr_t aside; /* the state of the field: aside.h */
};

void dh_rt_judge_field(struct dh_rt_access *a);

/* The same for a plain access that may go with little: to a field that is the thread's
 * own or used under just its locks, or by a thread that has nothing to suspect. object is
 * the word of its object, at start. False where nothing was done. */
bool dh_rt_judge_own(struct dh_self *t, dh_rt_word object, uintptr_t start,
		     uintptr_t addr, unsigned size, bool write, uint32_t site,
		     uint64_t pc);

/* States a race of the access with the worst that the diaries have of its bytes by
 * another thread. Where they have none: with nothing else known, unless there was a
 * report of the field before. */
void dh_rt_state_last(const struct dh_rt_access *a, bool again);

/* The word says that the object was freed. */
void dh_rt_used_freed(struct dh_rt_access *a, dh_rt_word w);

#endif
