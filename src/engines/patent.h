/* SPDX-License-Identifier: MIT */
/* A look into engine `patent`, for tests. */
#ifndef DH_ENGINES_PATENT_H
#define DH_ENGINES_PATENT_H

#include "engines/segments.h"
#include "event/engine.h"

extern const struct dh_engine_ops dh_engine_patent;

/* C_t and B_t of a thread, by its id. B_t is valid until the next event. */
uint32_t dh_patent_clock(const struct dh_engine *e, uint32_t thread);
const struct dh_segments *dh_patent_before(const struct dh_engine *e, uint32_t thread);

/* T_x: its size, and whether <thread, clock> is in it. */
uint32_t dh_patent_size(const void *cell);
bool dh_patent_has(const void *cell, uint32_t thread, uint32_t clock);

/* S_x; DH_LOCKSET_ALL before the first access. */
dh_lockset dh_patent_locks(const void *cell);

#endif
