/* SPDX-License-Identifier: MIT */
/* A hash table of pairs over base/map.h; pairs with equal hashes are chained. */
#include "predict/table.h"

static uint64_t hash(dh_location low, dh_location high)
{
	return dh_mix(dh_mix(low) + high);
}

uint64_t *dh_table_get(const struct dh_table *t, dh_location low, dh_location high)
{
	const uint64_t *head = dh_map_get(&t->heads, hash(low, high));
	for (uint32_t i = head ? (uint32_t)*head : 0; i; i = t->entries.at[i - 1].next) {
		struct dh_table_entry *e = &t->entries.at[i - 1];
		if (e->low == low && e->high == high)
			return &e->value;
	}
	return NULL;
}

uint64_t *dh_table_put(struct dh_table *t, dh_location low, dh_location high, bool *fresh)
{
	uint64_t *value = dh_table_get(t, low, high);
	*fresh = !value;
	if (value)
		return value;
	uint64_t *head = dh_map_put(&t->heads, hash(low, high), NULL);
	dh_vec_push(&t->entries, (struct dh_table_entry){
				     .low = low, .high = high, .next = (uint32_t)*head});
	*head = t->entries.len;
	return &t->entries.at[t->entries.len - 1].value;
}

void dh_table_free(struct dh_table *t)
{
	dh_map_free(&t->heads);
	dh_vec_free(&t->entries);
}
