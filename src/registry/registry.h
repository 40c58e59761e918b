/* SPDX-License-Identifier: MIT */
/*
 * Which engines and filters there are, by name; the lists end with NULL. For the
 * tools: a runtime library has its one engine compiled in and does not come here.
 */
#ifndef DH_REGISTRY_REGISTRY_H
#define DH_REGISTRY_REGISTRY_H

#include "event/engine.h"
#include "event/filter.h"

extern const struct dh_engine_ops *const dh_engines[];
extern const struct dh_filter_ops *const dh_filters[];

/* NULL where there is none of that name. */
const struct dh_engine_ops *dh_engine_find(const char *name);
const struct dh_filter_ops *dh_filter_find(const char *name);

#endif
