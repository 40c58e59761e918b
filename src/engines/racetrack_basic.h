/* SPDX-License-Identifier: MIT */
/* A look into the cells of engine `racetrack-basic`, for tests. */
#ifndef DH_ENGINES_RACETRACK_BASIC_H
#define DH_ENGINES_RACETRACK_BASIC_H

#include "event/engine.h"

extern const struct dh_engine_ops dh_engine_racetrack_basic;

/* |S_x|. */
uint32_t dh_racetrack_basic_size(const void *cell);

/* S_x(u) for the slot that u has; 0 where it has no label. */
uint32_t dh_racetrack_basic_clock(const void *cell, uint32_t slot);

/* C_x; DH_LOCKSET_ALL before the first access. */
dh_lockset dh_racetrack_basic_locks(const void *cell);

#endif
