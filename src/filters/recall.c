/* SPDX-License-Identifier: MIT */
/* The table of recall.h: linear probing, at most 3/4 full, backward shift. */
#include "filters/recall.h"
#include "base/mem.h"

enum { FIRST_CAP = 64 };

/* The free place where a key that is not there belongs. */
static struct dh_recall *place(struct dh_recalls *h, const struct dh_recall_key *k)
{
	size_t i = dh_recall_home(h, k);
	while (h->at[i].key.who)
		i = (i + 1) & (h->cap - 1);
	return &h->at[i];
}

static void grow(struct dh_recalls *h)
{
	struct dh_recalls old = *h;
	h->cap = old.cap ? old.cap * 2 : FIRST_CAP;
	h->at = dh_mem_alloc(h->cap * sizeof *h->at);
	h->hand = 0;
	for (size_t i = 0; i < old.cap; i++)
		if (old.at[i].key.who)
			*place(h, &old.at[i].key) = old.at[i];
	dh_mem_free(old.at, old.cap * sizeof *old.at);
}

struct dh_recall *dh_recall_put(struct dh_recalls *h, const struct dh_recall_key *k)
{
	if ((h->len + 1) * 4 > h->cap * 3)
		grow(h);
	struct dh_recall *entry = place(h, k);
	*entry = (struct dh_recall){.key = *k};
	h->len++;
	return entry;
}

struct dh_recall *dh_recall_victim(struct dh_recalls *h)
{
	for (;;) {
		struct dh_recall *entry = &h->at[h->hand];
		h->hand = (h->hand + 1) & (h->cap - 1);
		if (!entry->key.who)
			continue;
		if (!entry->recent)
			return entry;
		entry->recent = 0;
	}
}

void dh_recall_remove(struct dh_recalls *h, struct dh_recall *entry)
{
	size_t mask = h->cap - 1, hole = (size_t)(entry - h->at);
	/* Close the hole: move up every later entry whose home lies at or before it. */
	for (size_t i = (hole + 1) & mask; h->at[i].key.who; i = (i + 1) & mask) {
		size_t from_home = (i - dh_recall_home(h, &h->at[i].key)) & mask;
		if (from_home >= ((i - hole) & mask)) {
			h->at[hole] = h->at[i];
			hole = i;
		}
	}
	h->at[hole] = (struct dh_recall){0};
	h->len--;
}

void dh_recalls_free(struct dh_recalls *h)
{
	dh_mem_free(h->at, h->cap * sizeof *h->at);
	*h = (struct dh_recalls){0};
}
