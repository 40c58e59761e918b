/* SPDX-License-Identifier: MIT */
/* See elders.h. */
#include "runtime/elders.h"
#include "runtime/sets.h"

bool dh_elders_may(const struct dh_self *t, dh_record old, dh_record rec)
{
	return old && !dh_record_is_tag(old) && !dh_record_is_kept(old) &&
	       !((old | rec) & DH_ATOMIC_FLAG) && !dh_record_same_epoch(old, rec) &&
	       dh_record_beyond(old, dh_record_mask(rec)) && dh_is_ordered(t->vc, old) &&
	       !t->alike && !t->kin;
}

/* Would the access be to one cell alone, if the granule were split? A text that is compared with
 * others, up to where they differ, would be to several. */
static bool is_unit(dh_record old, dh_record rec)
{
	const unsigned mask = dh_record_mask(rec);
	const unsigned level =
	    DH_MAX(dh_split_level(mask), dh_split_level(dh_record_mask(old)));
	return __builtin_popcount(mask) == 1 << dh_level_shift(level);
}

bool dh_elders_fit(const struct dh_self *t, uintptr_t granule, dh_record old, dh_record rec)
{
	return dh_elder_pays(t, old, rec) &&
	       !(dh_elders_often(t, granule) && is_unit(old, rec));
}

/* ---- elders ---- */

/* Where elders are: of which granule, of writes or reads; and who asks. */
struct place {
	uintptr_t granule;
	bool write;
	unsigned thread;
};

static dh_record *first_of(const struct place *p)
{
	dh_record *at = dh_flat_elder(p->granule, p->write);
	return DH_LIKELY(at) ? at : dh_parts_elder(p->granule, p->write, p->thread);
}

static dh_record *bytes_of(const struct place *p)
{
	dh_record *at = dh_flat_elder_bytes(p->granule, p->write);
	return DH_LIKELY(at) ? at : dh_parts_elder_bytes(p->granule, p->write, p->thread);
}

/* Records as far as they have bytes that no later one has, and which those are. */
struct gathered {
	dh_record *some;
	uint32_t count;
	unsigned have;
};

static void gather(struct gathered *g, dh_record r)
{
	const unsigned mask = dh_record_mask(r);
	if (mask & ~g->have)
		g->some[g->count++] = dh_record_without(r, g->have);
	g->have |= mask;
}

/* One for all bytes that have the same. */
static void gather_bytes(struct gathered *g, const dh_record bytes[DH_GRANULE])
{
	for (unsigned i = 0; i < DH_GRANULE; i++) {
		const dh_record r = DH_LOAD(&bytes[i]);
		unsigned mask = 0;
		for (unsigned k = i; k < DH_GRANULE; k++)
			mask |= (unsigned)(DH_LOAD(&bytes[k]) == r) << k;
		if (r)
			gather(g, dh_record_without(r, ~mask & DH_WHOLE));
	}
}

uint32_t dh_elders_items(uintptr_t granule, dh_record word, bool write,
			 dh_record room[DH_ELDERS_ALL])
{
	const struct place p = {granule, write, dh_record_slot(word)};
	struct gathered g = {.some = room};
	gather(&g, word);
	const dh_record *at = first_of(&p);
	const dh_record first = at ? DH_LOAD(at) : 0;
	if (first)
		gather(&g, first);
	if ((first & DH_ELDERS_FLAG) && (at = bytes_of(&p)))
		gather_bytes(&g, at);
	return g.count;
}

/* Makes the record the first elder, of one that has these bytes. False: there is no memory;
 * nothing was done. */
static bool put_first(const struct place *p, dh_record old, unsigned mask)
{
	dh_record *first = first_of(p), *bytes = NULL;
	if (!first || (dh_elder_lasts(first, old, mask) && !(bytes = bytes_of(p))))
		return false;
	dh_elder_put(first, bytes, old, mask);
	return true;
}

bool dh_elders_push(struct dh_self *t, uintptr_t granule, dh_record *word, dh_record old,
		    dh_record rec, bool write)
{
	const struct place p = {granule, write, dh_record_slot(rec)};
	const unsigned mask = dh_record_mask(rec);
	dh_record found = old;
	if (dh_elder_superfluous(old, mask))
		return DH_SWAP(word, found, rec | DH_ELDERS_FLAG);
	dh_enter_runtime(t);
	dh_elders_note(t, granule);
	/* Memory for it is made before others have to wait. */
	const bool locked = first_of(&p) && DH_SWAP(word, found, dh_tag(DH_TAG_BUSY));
	const bool done = locked && put_first(&p, old, mask);
	if (done)
		__atomic_store_n(word, rec | DH_ELDERS_FLAG, __ATOMIC_RELEASE);
	else if (locked)
		__atomic_store_n(word, old, __ATOMIC_RELEASE);
	dh_leave_runtime(t);
	return done;
}

dh_record dh_elders_word(uintptr_t granule, dh_record word, bool write)
{
	dh_record some[DH_ELDERS_ALL];
	if (!dh_record_has_elders(word))
		return word;
	return dh_sets_make(some, dh_elders_items(granule, word, write, some));
}

dh_record dh_elders_outside(uintptr_t granule, dh_record word, bool write, unsigned mask)
{
	dh_record some[DH_ELDERS_ALL];
	uint32_t count = dh_elders_items(granule, word, write, some), n = 0;
	for (uint32_t i = 0; i < count; i++)
		if (dh_record_mask(some[i]) & ~mask)
			some[n++] = some[i];
	return dh_sets_make(some, n);
}
