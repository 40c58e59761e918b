/* SPDX-License-Identifier: MIT */
/*
 * The beginning and the end of memory, as far as its objects go.
 *
 * Context: hooks of the calling thread; dh_rt_fresh() also without one.
 */
#ifndef DH_RUNTIME_RACETRACK_LIFE_H
#define DH_RUNTIME_RACETRACK_LIFE_H

#include "runtime/racetrack/rt.h"

/* Memory is given back by the program, at this site. Not judged where pc is 0. */
void dh_rt_end(struct dh_self *t, uintptr_t base, size_t size, uint32_t site,
	       uint64_t pc);

/* A block of the heap is given out, or has another size. */
void dh_rt_start_block(uintptr_t base, size_t size);

/* Nothing that was before counts any more. */
void dh_rt_fresh(uintptr_t addr, size_t size);

#endif
