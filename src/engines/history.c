/* SPDX-License-Identifier: MIT */
/* Access histories; see history.h. */
#include "engines/history.h"
#include "base/mem.h"

static struct dh_history_entry *append(struct dh_history *h, uint32_t slot)
{
	if (h->len == h->cap) {
		uint32_t cap = h->cap ? h->cap * 2 : 2;
		h->at = dh_mem_resize(h->at, h->cap * sizeof *h->at, cap * sizeof *h->at);
		h->cap = cap;
	}
	h->at[h->len] = (struct dh_history_entry){.slot = slot};
	return &h->at[h->len++];
}

/* This thread's entry, swapped to the front so that its next access finds it at once. */
static struct dh_history_entry *entry_of(struct dh_history *h, uint32_t slot)
{
	if (DH_LIKELY(h->len && h->at[0].slot == slot))
		return h->at;
	uint32_t i = 1;
	while (i < h->len && h->at[i].slot != slot)
		i++;
	if (i >= h->len)
		i = (uint32_t)(append(h, slot) - h->at);
	struct dh_history_entry mine = h->at[i];
	h->at[i] = h->at[0];
	h->at[0] = mine;
	return h->at;
}

bool dh_history_log(struct dh_history *h, const struct dh_thread *t,
		    const struct dh_access *a)
{
	struct dh_history_entry *mine = entry_of(h, t->party.slot);
	if (mine->write == a->clock || (!a->write && mine->read == a->clock))
		return false;
	if (a->write) {
		mine->write = a->clock;
		mine->write_mark = dh_access_mark(t, a);
	} else {
		mine->read = a->clock;
		mine->read_mark = dh_access_mark(t, a);
	}
	return true;
}

static bool unordered(const struct dh_thread *t, uint32_t slot, uint32_t clock)
{
	return clock && !dh_order_before(&t->party, DH_STRONG, slot, clock);
}

unsigned dh_history_check(const struct dh_history *h, struct dh_engine *e,
			  const struct dh_thread *t, const struct dh_access *a)
{
	unsigned found = 0;
	for (uint32_t i = 0; i < h->len; i++) {
		const struct dh_history_entry *other = &h->at[i];
		if (unordered(t, other->slot, other->write)) {
			dh_engine_observed(e, t, a, &other->write_mark, true);
			found++;
		}
		if (a->write && unordered(t, other->slot, other->read)) {
			dh_engine_observed(e, t, a, &other->read_mark, false);
			found++;
		}
	}
	return found;
}

/* How far before t's present an access lies: 0 where unordered, else the number of
 * time frames of its thread, its own included, that t knows to be over. */
static uint32_t distance(const struct dh_thread *t, uint32_t slot, uint32_t clock)
{
	uint32_t known = dh_order_knows(&t->party, DH_STRONG, slot);
	return known < clock ? 0 : known - clock + 1;
}

static void consider(struct dh_race *race, const struct dh_thread *t, uint32_t slot,
		     uint32_t clock, const struct dh_mark *mark, bool write)
{
	if (!clock || mark->thread == t->party.id)
		return;
	uint32_t far = distance(t, slot, clock);
	bool closer = far == 0 && race->distance != 0;
	bool later = (far == 0) == (race->distance == 0) && mark->index > race->first.index;
	if (race->has_first && !closer && !later)
		return;
	race->has_first = true;
	race->first = *mark;
	race->first_write = write;
	race->has_distance = true;
	race->distance = far;
	race->grade = far == 0 ? DH_OBSERVED : DH_POTENTIAL;
}

bool dh_history_rival(const struct dh_history *h, const struct dh_thread *t,
		      const struct dh_access *a, struct dh_race *race)
{
	race->has_first = false;
	for (uint32_t i = 0; i < h->len; i++) {
		const struct dh_history_entry *o = &h->at[i];
		consider(race, t, o->slot, o->write, &o->write_mark, true);
		if (a->write)
			consider(race, t, o->slot, o->read, &o->read_mark, false);
	}
	return race->has_first;
}

void dh_history_copy(struct dh_history *h, const struct dh_history *from)
{
	if (!from->len)
		return;
	h->at = dh_mem_alloc(from->len * sizeof *h->at);
	h->len = h->cap = from->len;
	dh_copy(h->at, from->at, from->len * sizeof *h->at);
}

void dh_history_free(struct dh_history *h)
{
	dh_mem_free(h->at, h->cap * sizeof *h->at);
	*h = (struct dh_history){0};
}
