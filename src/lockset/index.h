/* SPDX-License-Identifier: MIT */
/*
 * A hash index from 32-bit hashes to ids (> 0), for tables that intern things:
 * it yields the ids that might be meant, the caller compares. Used by the lockset
 * and threadset tables.
 *
 *   for (struct dh_probe p = dh_index_probe(&ix, hash); (id = dh_index_next(&p));)
 *           if (is_it(id)) return id;
 *
 * Open addressing, at most half full, entries never move or go away. When it
 * fills up a table of twice the size is built and published; a reader may still
 * be in the old one, so that one is kept until trim or free. Sizes double, so
 * all old ones together are no larger than the present one.
 *
 * Concurrency: any number of readers beside one writer (the caller serialises
 * insertions). A reader that finds nothing may have come too early or be in an
 * old table; before it inserts it looks again as the writer. Whatever the writer
 * stored before it inserted an id is visible to a reader that gets the id.
 * trim and free want no one else in the index. Inserting may allocate.
 */
#ifndef DH_LOCKSET_INDEX_H
#define DH_LOCKSET_INDEX_H

#include "base/base.h"

struct dh_index_table {
	struct dh_index_table *older;
	size_t mask;   /* slots - 1 */
	size_t used;   /* by the writer */
	uint64_t at[]; /* atomic: hash << 32 | id, or 0 */
};

struct dh_index {
	struct dh_index_table *now; /* atomic; NULL: empty */
	size_t bytes;		    /* atomic; of all tables, old ones too */
};

struct dh_probe {
	const struct dh_index_table *table;
	size_t i;
	uint32_t hash;
};

DH_INLINE struct dh_probe dh_index_probe(const struct dh_index *x, uint32_t hash)
{
	/* Acquire: a table is filled before it is published. */
	const struct dh_index_table *t = __atomic_load_n(&x->now, __ATOMIC_ACQUIRE);
	return (struct dh_probe){t, hash, hash};
}

/* The next id stored under the hash, 0 after the last. */
DH_INLINE uint32_t dh_index_next(struct dh_probe *p)
{
	if (!p->table)
		return 0;
	for (;;) {
		/* Acquire: pairs with the release of the insertion. */
		const uint64_t *slot = &p->table->at[p->i++ & p->table->mask];
		uint64_t entry = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
		if (entry == 0 || entry >> 32 == p->hash)
			return (uint32_t)entry;
	}
}

/* Adds an id. By the writer. */
void dh_index_insert(struct dh_index *x, uint32_t hash, uint32_t id);

/* Frees the old tables: for a moment without readers. */
void dh_index_trim(struct dh_index *x);

/* Frees all tables; the index is empty again. */
void dh_index_free(struct dh_index *x);

#endif
