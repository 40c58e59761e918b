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

/* ---- granules that are used over and over ---- */

/* A thread remembers the granules, by some of their bits, that it has given elders lately, and
 * how often each. One that stays among them for so long is split: it has been paid for by then.
 * Tables that are larger than all caches never do. */
enum { OFTEN_BITS = 3, OFTEN = (1 << OFTEN_BITS) - 1 };

static uint32_t key_of(uintptr_t granule)
{
	return (uint32_t)(granule / DH_GRANULE) << OFTEN_BITS;
}

static uint32_t *entry_of(const struct dh_self *t, uintptr_t granule)
{
	return &t->state->elder_granules[granule / DH_GRANULE % DH_ELDER_GRANULES];
}

static bool is_often(const struct dh_self *t, uintptr_t granule)
{
	return *entry_of(t, granule) == (key_of(granule) | OFTEN);
}

static void note_granule(const struct dh_self *t, uintptr_t granule)
{
	uint32_t *e = entry_of(t, granule);
	if ((*e ^ key_of(granule)) > OFTEN)
		*e = key_of(granule);
	else if ((*e & OFTEN) != OFTEN)
		++*e;
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
	       !(is_often(t, granule) && is_unit(old, rec));
}

/* ---- elders ---- */

/* Where elders are: of which granule, of writes or reads; and who asks. */
struct place {
	uintptr_t granule;
	bool write;
	unsigned thread;
};

static dh_record *elder_at(const struct place *p, unsigned number)
{
	dh_record *at = dh_flat_elder(p->granule, p->write, number);
	if (DH_UNLIKELY(!at))
		at = dh_parts_elder(p->granule, p->write, number, p->thread);
	return at;
}

/* A record and its elders, the last first, as far as they have bytes that are not in `have`:
 * with those bytes alone. How many there are. Each that has a next one has the flag. */
static uint32_t gather(dh_record word, const struct place *p, unsigned have,
		       dh_record some[DH_ELDERS_ALL])
{
	uint32_t n = 0;
	for (uint32_t i = 0;; i++) {
		const unsigned mask = dh_record_mask(word);
		if (mask & ~have)
			some[n++] = dh_record_without(word, have);
		have |= mask;
		if (!(word & DH_ELDERS_FLAG) || have == DH_WHOLE || i == DH_ELDERS_MOST)
			return n;
		const dh_record *next = elder_at(p, i);
		if (!next || !(word = DH_LOAD(next)))
			return n;
	}
}

/* Makes these the elders; from the last on, so that if there is no memory for one nothing has
 * been done. */
static bool lay_out(const struct place *p, const dh_record *some, uint32_t count)
{
	for (uint32_t i = count; i-- > 0;) {
		dh_record *at = elder_at(p, i);
		if (!at)
			return false;
		DH_STORE(at, i + 1 < count ? some[i] | DH_ELDERS_FLAG : some[i]);
	}
	return true;
}

bool dh_elders_push(struct dh_self *t, uintptr_t granule, dh_record *word, dh_record old,
		    dh_record rec, bool write, bool own)
{
	const struct place p = {granule, write, dh_record_slot(rec)};
	dh_record some[DH_ELDERS_ALL], found = old;
	dh_enter_runtime(t);
	note_granule(t, granule);
	if (dh_record_has_elders(old)) /* while the first is waited for */
		__builtin_prefetch(dh_flat_elder(granule, write, 1), 1);
	const uint32_t count = gather(old, &p, dh_record_mask(rec), some);
	const bool fits = count <= DH_ELDERS_MOST,
		   locked = fits && !own && DH_SWAP(word, found, dh_tag(DH_TAG_BUSY));
	const bool done = fits && (own || locked) && lay_out(&p, some, count);
	if (done)
		__atomic_store_n(word, count ? rec | DH_ELDERS_FLAG : rec, __ATOMIC_RELEASE);
	else if (locked)
		__atomic_store_n(word, old, __ATOMIC_RELEASE);
	dh_leave_runtime(t);
	return done;
}

uint32_t dh_elders_items(uintptr_t granule, dh_record word, bool write,
			 dh_record room[DH_ELDERS_ALL])
{
	const struct place p = {granule, write, dh_record_slot(word)};
	return gather(word, &p, 0, room);
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
