/* SPDX-License-Identifier: MIT */
/*
 * Room for the fields of refined objects. A refined object has a stretch of addresses of
 * its own, beside those of the program, that is as long as itself; cells (shadow.h, with
 * DH_SHADOW_ASIDE) and words of fields (objects.h) go by these. So refined objects that
 * are scattered over the heap take no more memory than if they lay side by side.
 *
 * A stretch that comes back is used again after many others: a thread that has just read
 * the word of an object which another one ends at the same instant finds it empty.
 *
 * Concurrency: any thread; one lock inside. Allocates.
 */
#ifndef DH_RUNTIME_RACETRACK_ASIDE_H
#define DH_RUNTIME_RACETRACK_ASIDE_H

#include "runtime/racetrack/objects.h"

/* At start-up: has addresses for the first stretches, while there are some. */
void dh_rt_aside_init(void);

/* A stretch of at least size bytes, at most DH_RT_LINE, with all cells and words empty;
 * the address is a multiple of 8 and not 0. */
uintptr_t dh_rt_aside_take(uint32_t size);

/* Gives it back; size as it was taken. */
void dh_rt_aside_give(uintptr_t at, uint32_t size);

/* Empties cells and words of [from, to). */
void dh_rt_aside_clear(uintptr_t from, uintptr_t to);

#endif
