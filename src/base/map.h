/* SPDX-License-Identifier: MIT */
/*
 * A hash map from uint64_t to uint64_t: open addressing, linear probing, grows
 * at 3/4 full, backward-shift deletion. Any key is allowed. Not for concurrent
 * use. Zero-initialised is empty.
 */
#ifndef DH_BASE_MAP_H
#define DH_BASE_MAP_H

#include "base/base.h"

struct dh_map_slot {
	uint64_t key;
	uint64_t value;
};

struct dh_map {
	struct dh_map_slot *slots;
	uint8_t *used; /* one byte per slot */
	size_t cap;    /* power of two, or 0 */
	size_t len;
};

/* The value's place, or NULL where the key is absent. Valid until the next
 * insertion or removal. */
uint64_t *dh_map_get(const struct dh_map *m, uint64_t key);

/* The value's place; a new one (zero) where the key was absent, and then *fresh
 * is true. fresh may be NULL. */
uint64_t *dh_map_put(struct dh_map *m, uint64_t key, bool *fresh);

/* True if the key was there. */
bool dh_map_remove(struct dh_map *m, uint64_t key);

void dh_map_free(struct dh_map *m);

#endif
