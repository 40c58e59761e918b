/* SPDX-License-Identifier: MIT */
/* Reads of which each comes after the one before: see chain.h. Who changes more than the
 * bytes of its own last read puts the tag BUSY meanwhile. */
#include "runtime/chain.h"
#include "runtime/blend.h"
#include "runtime/parts.h"

/* Does the read come after all of the word? The last one tells. */
static bool comes_after(const struct dh_self *t, dh_record last, dh_record rec)
{
	return dh_is_ordered(t->vc, last) || dh_record_own(last, rec);
}

/* Those of the chain that have bytes which neither rec nor later ones have. */
static unsigned still_wanted(dh_record read, dh_record rec, dh_record some[DH_GRANULE])
{
	const bool one = !dh_is_chain(read);
	const dh_record *at = one ? &read : dh_chain_reads(read);
	const unsigned count = one ? 1 : dh_chain_length(read);
	unsigned n = 0, have = dh_record_mask(rec);
	for (unsigned i = 0; i < count; i++) {
		dh_record r = DH_LOAD(&at[i]);
		if (dh_record_mask(r) & ~have)
			some[n++] = r;
		have |= dh_record_mask(r);
	}
	return n;
}

/* What the reads are with rec as the last, where a chain of the cell's is; 0: too many. */
static dh_record laid_out(dh_record read, dh_record *chain, dh_record rec)
{
	dh_record some[DH_GRANULE];
	const unsigned n = still_wanted(read, rec, some);
	if (!n)
		return rec;
	if (n + 1 > DH_CHAIN_MOST)
		return 0;
	for (unsigned i = 0; i < n; i++)
		DH_STORE(&chain[i + 1], some[i]);
	DH_STORE(chain, rec);
	return dh_chain_word(chain, n + 1);
}

/* The last of the word. */
static dh_record last_of(dh_record read)
{
	return dh_is_chain(read) ? DH_LOAD(dh_chain_reads(read)) : read;
}

/* Where the chain is, or is to be; NULL: no memory. */
static dh_record *place_of(const struct dh_self *t, uintptr_t granule, dh_record read)
{
	return dh_is_chain(read) ? dh_chain_reads(read)
				 : dh_parts_chain(granule, dh_record_slot(t->now));
}

/* False: nothing was done, since the reads have changed from those with this last one, or
 * there is no room. */
static bool add(struct dh_self *t, struct dh_cell *c, uintptr_t granule, dh_record read,
		dh_record last, dh_record rec)
{
	dh_record found = read;
	dh_enter_runtime(t);
	dh_record *chain = place_of(t, granule, read);
	bool done = chain && DH_SWAP(&c->read, found, dh_tag(DH_TAG_BUSY));
	if (done) {
		dh_record word = last_of(read) == last ? laid_out(read, chain, rec) : 0;
		done = word != 0;
		__atomic_store_n(&c->read, done ? word : read, __ATOMIC_RELEASE);
	}
	dh_leave_runtime(t);
	return done;
}

/* More bytes in the thread's own last read. */
static bool extend(struct dh_cell *c, dh_record read, dh_record rec)
{
	dh_record some[DH_GRANULE];
	if (!still_wanted(read, rec, some))
		return DH_SWAP(&c->read, read, rec);
	DH_STORE(dh_chain_reads(read), rec);
	return DH_LOAD(&c->read) == read;
}

enum dh_first dh_chain_read(struct dh_self *t, struct dh_cell *c, uintptr_t granule,
			    dh_record rec, dh_record read)
{
	const dh_record last = last_of(read);
	bool done;
	if (!comes_after(t, last, rec))
		return DH_FIRST_NOT;
	if (dh_is_chain(read) && dh_blends(last, rec)) {
		if (!(dh_record_mask(rec) & ~dh_record_mask(last)))
			return DH_FIRST_DONE;
		if (!(rec = dh_reads_together(t, last, rec)))
			return DH_FIRST_NOT;
		done = extend(c, read, rec);
	} else {
		done = add(t, c, granule, read, last, rec);
	}
	if (!done)
		return DH_FIRST_NOT;
	return dh_all_ordered(t, DH_LOAD(&c->write)) ? DH_FIRST_DONE : DH_FIRST_MET;
}
