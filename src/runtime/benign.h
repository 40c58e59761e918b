/* SPDX-License-Identifier: MIT */
/*
 * Memory whose races the program has called benign (annotations). Asked when a race is
 * about to be reported and never before, so it costs nothing until then; the shadow
 * goes on as if nothing was said.
 *
 * Concurrency: any thread; one lock inside, so the caller is `inside` the runtime
 * (thread.h) where a signal could interrupt it.
 */
#ifndef DH_RUNTIME_BENIGN_H
#define DH_RUNTIME_BENIGN_H

#include "base/base.h"

/* Bytes [addr, addr + size) are benign from now on; why is the program's reason (copied,
 * cut where long), or NULL. Later calls add to earlier ones. */
void dh_benign_add(uintptr_t addr, size_t size, const char *why);

/* Is this byte in such a range? Counted where it is. */
bool dh_benign(uintptr_t addr);

/* The memory is gone or means something else now: ranges that begin in it are dropped.
 * Costs one load where there is none at all. */
void dh_benign_forget(uintptr_t addr, size_t size);

/* How many ranges there are, and how often dh_benign() said yes. */
struct dh_benign_stats {
	uint64_t ranges, hits;
};
void dh_benign_get_stats(struct dh_benign_stats *s);

#endif
