/* SPDX-License-Identifier: MIT */
/* The writer's side of index.h. */
#include "lockset/index.h"
#include "base/mem.h"

enum { FIRST_SLOTS = 64 };

static size_t table_bytes(size_t slots)
{
	return sizeof(struct dh_index_table) + slots * sizeof(uint64_t);
}

static void place(struct dh_index_table *t, uint64_t entry)
{
	size_t i = (size_t)(entry >> 32) & t->mask;
	while (t->at[i])
		i = (i + 1) & t->mask;
	/* Release: what the id stands for is complete before it can be found. */
	__atomic_store_n(&t->at[i], entry, __ATOMIC_RELEASE);
	t->used++;
}

static struct dh_index_table *grow(struct dh_index *x, struct dh_index_table *old)
{
	size_t slots = old ? (old->mask + 1) * 2 : FIRST_SLOTS;
	struct dh_index_table *t = dh_mem_alloc(table_bytes(slots));
	t->older = old;
	t->mask = slots - 1;
	for (size_t i = 0; old && i <= old->mask; i++)
		if (old->at[i])
			place(t, old->at[i]);
	__atomic_store_n(&x->bytes, x->bytes + table_bytes(slots), __ATOMIC_RELAXED);
	/* Release: readers that see the table see its entries. */
	__atomic_store_n(&x->now, t, __ATOMIC_RELEASE);
	return t;
}

void dh_index_insert(struct dh_index *x, uint32_t hash, uint32_t id)
{
	DH_ASSERT(id != 0);
	struct dh_index_table *t = x->now;
	if (!t || (t->used + 1) * 2 > t->mask + 1)
		t = grow(x, t);
	place(t, (uint64_t)hash << 32 | id);
}

static void tables_free(struct dh_index *x, struct dh_index_table *t)
{
	for (struct dh_index_table *older; t; t = older) {
		older = t->older;
		x->bytes -= table_bytes(t->mask + 1);
		dh_mem_free(t, table_bytes(t->mask + 1));
	}
}

void dh_index_trim(struct dh_index *x)
{
	if (!x->now)
		return;
	tables_free(x, x->now->older);
	x->now->older = NULL;
}

void dh_index_free(struct dh_index *x)
{
	tables_free(x, x->now);
	*x = (struct dh_index){0};
}
