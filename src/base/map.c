/* SPDX-License-Identifier: MIT */
/* The hash map of map.h. */
#include "base/map.h"
#include "base/mem.h"

enum { FIRST_CAP = 16 };

static size_t home(const struct dh_map *m, uint64_t key)
{
	return (size_t)dh_mix(key) & (m->cap - 1);
}

/* The slot of key, or the free slot where it would go. */
static size_t find(const struct dh_map *m, uint64_t key)
{
	size_t i = home(m, key);
	while (m->used[i] && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

static void set_cap(struct dh_map *m, size_t cap)
{
	struct dh_map old = *m;
	m->slots = dh_mem_alloc(cap * sizeof *m->slots);
	m->used = dh_mem_alloc(cap);
	m->cap = cap;
	for (size_t i = 0; i < old.cap; i++) {
		if (!old.used[i])
			continue;
		size_t at = find(m, old.slots[i].key);
		m->slots[at] = old.slots[i];
		m->used[at] = 1;
	}
	old.len = 0;
	dh_map_free(&old);
}

uint64_t *dh_map_get(const struct dh_map *m, uint64_t key)
{
	if (m->len == 0)
		return NULL;
	size_t i = find(m, key);
	return m->used[i] ? &m->slots[i].value : NULL;
}

uint64_t *dh_map_put(struct dh_map *m, uint64_t key, bool *fresh)
{
	if ((m->len + 1) * 4 > m->cap * 3)
		set_cap(m, m->cap ? m->cap * 2 : FIRST_CAP);
	size_t i = find(m, key);
	bool is_new = !m->used[i];
	if (is_new) {
		m->used[i] = 1;
		m->slots[i] = (struct dh_map_slot){key, 0};
		m->len++;
	}
	if (fresh)
		*fresh = is_new;
	return &m->slots[i].value;
}

bool dh_map_remove(struct dh_map *m, uint64_t key)
{
	if (m->len == 0)
		return false;
	size_t hole = find(m, key);
	if (!m->used[hole])
		return false;
	/* Close the hole: move up every later entry whose home lies at or before it. */
	size_t mask = m->cap - 1;
	for (size_t i = (hole + 1) & mask; m->used[i]; i = (i + 1) & mask) {
		size_t distance_home = (i - home(m, m->slots[i].key)) & mask;
		size_t distance_hole = (i - hole) & mask;
		if (distance_home >= distance_hole) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->used[hole] = 0;
	m->len--;
	return true;
}

void dh_map_free(struct dh_map *m)
{
	dh_mem_free(m->slots, m->cap * sizeof *m->slots);
	dh_mem_free(m->used, m->cap);
	*m = (struct dh_map){0};
}
