/* SPDX-License-Identifier: MIT */
/* The writer's side of memo.h. */
#include "lockset/memo.h"
#include "base/mem.h"

enum { FIRST_SLOTS = 64 };

static size_t table_bytes(size_t slots)
{
	return sizeof(struct dh_memo_table) + slots * sizeof(struct dh_memo_entry);
}

static void place(struct dh_memo_table *t, uint64_t key, uint32_t value)
{
	size_t i = (size_t)dh_mix(~key) & t->mask;
	while (t->at[i].key)
		i = (i + 1) & t->mask;
	t->at[i].value = value;
	/* Release: who sees the key sees the value. */
	__atomic_store_n(&t->at[i].key, key, __ATOMIC_RELEASE);
	__atomic_store_n(&t->used, t->used + 1, __ATOMIC_RELAXED);
}

static struct dh_memo_table *grow(struct dh_memo *m, struct dh_memo_table *old)
{
	size_t slots = old ? (old->mask + 1) * 2 : FIRST_SLOTS;
	struct dh_memo_table *t = dh_mem_alloc(table_bytes(slots));
	t->older = old;
	t->mask = slots - 1;
	for (size_t i = 0; old && i <= old->mask; i++)
		if (old->at[i].key)
			place(t, old->at[i].key, old->at[i].value);
	__atomic_store_n(&m->bytes, m->bytes + table_bytes(slots), __ATOMIC_RELAXED);
	/* Release: readers that see the table see its entries. */
	__atomic_store_n(&m->now, t, __ATOMIC_RELEASE);
	return t;
}

void dh_memo_put(struct dh_memo *m, uint64_t question, uint32_t answer)
{
	DH_ASSERT(question != DH_MEMO_NOT_A_KEY);
	struct dh_memo_table *t = m->now;
	uint32_t known;
	if (dh_memo_get(m, question, &known)) {
		DH_ASSERT(known == answer);
		return;
	}
	if (t && t->used >= DH_MEMO_MOST)
		return;
	if (!t || (t->used + 1) * 2 > t->mask + 1)
		t = grow(m, t);
	place(t, ~question, answer);
}

size_t dh_memo_len(const struct dh_memo *m)
{
	const struct dh_memo_table *t = __atomic_load_n(&m->now, __ATOMIC_ACQUIRE);
	return t ? __atomic_load_n(&t->used, __ATOMIC_RELAXED) : 0;
}

void dh_memo_free(struct dh_memo *m)
{
	for (struct dh_memo_table *t = m->now, *older; t; t = older) {
		older = t->older;
		dh_mem_free(t, table_bytes(t->mask + 1));
	}
	*m = (struct dh_memo){0};
}
