/* SPDX-License-Identifier: MIT */
/* Access histories; see history.h. */
#include "engines/history.h"
#include "base/mem.h"

/* An empty entry among the others. */
static struct dh_history_entry *append(struct dh_history *h)
{
	uint32_t others = h->len - 1;
	if (others == h->cap) {
		uint32_t cap = h->cap ? h->cap * 2 : 1;
		h->others = dh_mem_resize(h->others, h->cap * sizeof *h->others,
					  cap * sizeof *h->others);
		h->cap = cap;
	}
	return &h->others[others];
}

/* Brings this thread's entry to hand. */
static DH_NOINLINE void swap_in(struct dh_history *h, uint32_t slot)
{
	struct dh_history_entry mine = {.slot = slot}, *place = h->others;
	if (h->len == 0) {
		h->len = 1;
		h->last = mine;
		return;
	}
	while (place < h->others + h->len - 1 && place->slot != slot)
		place++;
	if (place < h->others + h->len - 1) {
		mine = *place;
	} else {
		place = append(h);
		h->len++;
	}
	*place = h->last;
	h->last = mine;
}

static struct dh_history_entry *entry_of(struct dh_history *h, uint32_t slot)
{
	if (DH_UNLIKELY(h->len == 0 || h->last.slot != slot))
		swap_in(h, slot);
	return &h->last;
}

static const struct dh_history_entry *entry_at(const struct dh_history *h, uint32_t i)
{
	return i ? &h->others[i - 1] : &h->last;
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
		const struct dh_history_entry *other = entry_at(h, i);
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
	bool later =
	    (far == 0) == (race->distance == 0) && mark->index > race->first.index;
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
		const struct dh_history_entry *o = entry_at(h, i);
		consider(race, t, o->slot, o->write, &o->write_mark, true);
		if (a->write)
			consider(race, t, o->slot, o->read, &o->read_mark, false);
	}
	return race->has_first;
}

void dh_history_copy(struct dh_history *h, const struct dh_history *from)
{
	uint32_t others = from->len ? from->len - 1 : 0;
	*h = (struct dh_history){.last = from->last, .len = from->len, .cap = others};
	if (!others)
		return;
	h->others = dh_mem_alloc(others * sizeof *h->others);
	dh_copy(h->others, from->others, others * sizeof *h->others);
}

void dh_history_free(struct dh_history *h)
{
	dh_mem_free(h->others, h->cap * sizeof *h->others);
	*h = (struct dh_history){0};
}

void dh_history_reset_cell(struct dh_engine *e, void *cell)
{
	(void)e;
	dh_history_free(cell);
}

void dh_history_copy_cell(struct dh_engine *e, void *to, const void *from)
{
	(void)e;
	dh_history_copy(to, from);
}
