/* SPDX-License-Identifier: MIT */
/* Reads of which each comes after the one before: see chain.h. Who changes more than the
 * bytes of its own last read puts the tag BUSY meanwhile. */
#include "runtime/chain.h"
#include "runtime/blend.h"

/* Does the read come after all of the word? The last one tells. */
static bool comes_after(const struct dh_self *t, dh_record last, dh_record rec)
{
	return dh_is_ordered(t->vc, last) || dh_record_own(last, rec);
}

/* Those of the chain that have bytes which neither rec nor later ones have. */
static unsigned still_wanted(dh_record read, dh_record *places, dh_record rec,
			     dh_record some[DH_GRANULE])
{
	const bool one = !dh_is_chain(read);
	unsigned n = 0, have = dh_record_mask(rec);
	for (unsigned i = 0; one ? i < 1 : dh_in_use(read, i); i++) {
		dh_record r = one ? read : DH_LOAD(dh_place_at(places, i));
		if (dh_record_mask(r) & ~have)
			some[n++] = r;
		have |= dh_record_mask(r);
	}
	return n;
}

/* What the reads are with rec as the last. */
static dh_record laid_out(dh_record read, dh_record *places, dh_record rec)
{
	dh_record some[DH_GRANULE];
	const unsigned n = still_wanted(read, places, rec, some);
	if (!n)
		return rec;
	for (unsigned i = 0; i < n; i++)
		DH_STORE(dh_place_at(places, i + 1), some[i]);
	DH_STORE(places, rec);
	return dh_tag(DH_TAG_CHAIN) | (dh_record)((2u << n) - 1) << DH_IN_USE_SHIFT;
}

/* The last of the word. */
static dh_record last_of(dh_record read, dh_record *places)
{
	return dh_is_chain(read) ? DH_LOAD(places) : read;
}

/* False: nothing was done, since the reads have changed from those with this last one. */
static bool add(struct dh_self *t, struct dh_cell *c, dh_record read, dh_record *places,
		dh_record last, dh_record rec)
{
	dh_record found = read;
	dh_enter_runtime(t);
	bool done = DH_SWAP(&c->read, found, dh_tag(DH_TAG_BUSY));
	if (done) {
		done = last_of(read, places) == last;
		dh_record word = done ? laid_out(read, places, rec) : read;
		__atomic_store_n(&c->read, word, __ATOMIC_RELEASE);
	}
	dh_leave_runtime(t);
	return done;
}

/* More bytes in the thread's own last read. */
static bool extend(struct dh_cell *c, dh_record read, dh_record *places, dh_record rec)
{
	dh_record some[DH_GRANULE];
	if (!still_wanted(read, places, rec, some))
		return DH_SWAP(&c->read, read, rec);
	DH_STORE(places, rec);
	return DH_LOAD(&c->read) == read;
}

static dh_record *places_of(struct dh_self *t, uintptr_t granule)
{
	dh_record *places = dh_flat_readers(granule, 0);
	if (DH_LIKELY(places != NULL))
		return places;
	dh_enter_runtime(t);
	places = dh_shadow_readers(granule, 0, true);
	dh_leave_runtime(t);
	return places;
}

enum dh_first dh_chain_read(struct dh_self *t, struct dh_cell *c, uintptr_t granule,
			    dh_record rec, dh_record read)
{
	dh_record *places = places_of(t, granule);
	if (!places)
		return DH_FIRST_NOT;
	const dh_record last = last_of(read, places);
	bool done;
	if (!comes_after(t, last, rec))
		return DH_FIRST_NOT;
	if (dh_is_chain(read) && dh_blends(last, rec)) {
		if (!(dh_record_mask(rec) & ~dh_record_mask(last)))
			return DH_FIRST_DONE;
		if (!(rec = dh_reads_together(t, last, rec)))
			return DH_FIRST_NOT;
		done = extend(c, read, places, rec);
	} else {
		done = add(t, c, read, places, last, rec);
	}
	if (!done)
		return DH_FIRST_NOT;
	return dh_all_ordered(t, DH_LOAD(&c->write)) ? DH_FIRST_DONE : DH_FIRST_MET;
}
