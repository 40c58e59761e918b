/* SPDX-License-Identifier: MIT */
/*
 * A set of pairs of code locations, each with a number of the caller's. Not for
 * concurrent use. Zero-initialised is empty. Allocates.
 */
#ifndef DH_PREDICT_TABLE_H
#define DH_PREDICT_TABLE_H

#include "predict/candidates.h"

struct dh_table_entry {
	dh_location low, high;
	uint64_t value;
	uint32_t next; /* with the same hash: number of the entry + 1 */
};

struct dh_table {
	struct dh_map heads; /* hash -> number of the first entry + 1 */
	struct dh_vec(struct dh_table_entry) entries;
};

/* The value's place, or NULL. Valid until the next insertion. */
uint64_t *dh_table_get(const struct dh_table *t, dh_location low, dh_location high);

/* The value's place; new (zero) where the pair was absent, and then *fresh is true. */
uint64_t *dh_table_put(struct dh_table *t, dh_location low, dh_location high,
		       bool *fresh);

void dh_table_free(struct dh_table *t);

#endif
