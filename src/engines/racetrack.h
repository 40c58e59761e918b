/* SPDX-License-Identifier: MIT */
/* A look into engine `racetrack`, for tests. */
#ifndef DH_ENGINES_RACETRACK_H
#define DH_ENGINES_RACETRACK_H

#include "engines/racetrack_machine.h"

extern const struct dh_engine_ops dh_engine_racetrack;

/* The words of a variable, given its cell, and of an object, given its number. */
dh_racetrack_words dh_racetrack_field(const void *cell);
dh_racetrack_words dh_racetrack_object(struct dh_engine *e, uint32_t object);

/* The machine of an instance. */
struct dh_racetrack_machine *dh_racetrack_machine(struct dh_engine *e);

#endif
