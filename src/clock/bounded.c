/* SPDX-License-Identifier: MIT */
/* Bounded vector clocks; see bounded.h. */
#include "clock/bounded.h"
#include "clock/vc.h"

void dh_bounded_init(struct dh_bounded *b, uint32_t limit)
{
	*b = (struct dh_bounded){.limit = DH_MAX(limit, 2u)};
}

void dh_bounded_free(struct dh_bounded *b)
{
	dh_vec_free(&b->entries);
}

/* Index of the first entry whose slot is not less. */
static size_t lower(const struct dh_bounded *b, uint32_t slot)
{
	size_t lo = 0, hi = b->entries.len;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (b->entries.at[mid].slot < slot)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint32_t dh_bounded_get(const struct dh_bounded *b, uint32_t slot)
{
	size_t i = lower(b, slot);
	return i < b->entries.len && b->entries.at[i].slot == slot ? b->entries.at[i].clock
								   : 0;
}

/* The stamp below which exactly `drop` entries lie. Stamps are distinct, so a
 * binary search over their values finds it without sorting. */
static uint64_t stamp_cut(const struct dh_bounded *b, size_t drop)
{
	uint64_t lo = 0, hi = b->stamps + 1;
	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;
		size_t below = 0;
		for (size_t i = 0; i < b->entries.len; i++)
			below += b->entries.at[i].stamp < mid;
		if (below < drop)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void drop_older_half(struct dh_bounded *b)
{
	size_t drop = b->entries.len / 2, kept = 0;
	uint64_t cut = stamp_cut(b, drop);
	for (size_t i = 0; i < b->entries.len; i++)
		if (b->entries.at[i].stamp >= cut)
			b->entries.at[kept++] = b->entries.at[i];
	b->dropped += b->entries.len - kept;
	b->entries.len = kept;
}

bool dh_bounded_raise(struct dh_bounded *b, uint32_t slot, uint32_t clock)
{
	size_t i = lower(b, slot);
	if (i < b->entries.len && b->entries.at[i].slot == slot) {
		struct dh_bounded_entry *e = &b->entries.at[i];
		if (e->clock >= clock)
			return false;
		e->clock = clock;
		e->stamp = ++b->stamps;
		return true;
	}
	if (clock == 0)
		return false;
	if (b->entries.len >= b->limit) {
		drop_older_half(b);
		i = lower(b, slot);
	}
	dh_vec_push(&b->entries, (struct dh_bounded_entry){0});
	__builtin_memmove(&b->entries.at[i + 1], &b->entries.at[i],
			  (b->entries.len - 1 - i) * sizeof *b->entries.at);
	b->entries.at[i] = (struct dh_bounded_entry){slot, clock, ++b->stamps};
	return true;
}

bool dh_bounded_join(struct dh_bounded *b, const struct dh_vc *v)
{
	bool changed = false;
	for (uint32_t s = 0; v && s < v->len; s++)
		changed |= dh_bounded_raise(b, s, v->clock[s]);
	return changed;
}
