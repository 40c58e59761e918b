/* SPDX-License-Identifier: MIT */
/*
 * Elders: what a granule's cell had before, of other bytes than the access that took its
 * place and comes after it. Compressors, parsers, tables of ints, fields that are set under
 * locks: one access after the other, in ever new time frames, to other bytes of the granule
 * each time. The cell has the record of the last one, as if it were the only one, with a
 * flag; the others are in words of the granule's own (parts.h), reads and writes apart. The first,
 * the last but one of all, has a word; mostly there are no more. It has the flag, too, if there
 * are: these have a word for each byte, of which those mean something whose bytes no later one
 * has. So all that the next access does to them is to put the first into the words of its bytes.
 *
 * Whoever comes after the last one comes after all of them: then nobody looks at elders, and
 * what an access costs does not depend on whether there are any. They are looked at by who
 * races with the last one, or would if it had the same bytes; and who does not come after it
 * and adds its own record makes a set of them all (sets.h), from which the cell goes on
 * as those do that several threads use at the same time.
 *
 * Plain accesses alone, and none of OpenMP's tasks, of which others may stand for one that is
 * later. A record with all bytes has no elders. In cells of parts there are none.
 *
 * Concurrency: any number of threads. Elders change only while the cell's word is the tag
 * BUSY, and that word with them; so what was read of them is right if the word is still the
 * same afterwards. But for the thread's own, which it renews by plain stores, the elders before
 * the word (access.h says what that can miss): who looks meanwhile finds such as have been
 * there.
 */
#ifndef DH_RUNTIME_ELDERS_H
#define DH_RUNTIME_ELDERS_H

#include "runtime/access.h"
#include "runtime/blend.h"
#include "runtime/parts.h"
#include "runtime/tags.h"

/* ---- do they pay? ---- */

/* What goes through an array of ints comes to both of each granule in the same time frame, and
 * its elders were in vain: cells of their own are cheaper for these. What comes here and there
 * in a table is better off with elders. A thread counts that for each place of the program. */
DH_INLINE struct dh_elder_pay *dh_elder_pay_of(const struct dh_self *t, dh_record rec)
{
	_Static_assert(DH_ELDER_PAYS == 1 << 6, "as many bits");
	return &t->state->elders[dh_record_site(rec) * 0x9e3779b1u >> (32 - 6)];
}

/* May the record have the old one for an elder, as far as that goes? */
DH_INLINE bool dh_elder_pays(const struct dh_self *t, dh_record old, dh_record rec)
{
	enum { GRACE = 32, WINDOW = 4096, BYTES = 3 };
	struct dh_elder_pay *p = dh_elder_pay_of(t, rec);
	if (p->vain > p->all - p->all / 8u + GRACE && !(old & DH_ELDERS_FLAG) &&
	    dh_split_level(dh_record_mask(rec)) < BYTES &&
	    dh_split_level(dh_record_mask(old)) < BYTES) {
		if (++p->without == WINDOW)
			*p = (struct dh_elder_pay){0};
		return false;
	}
	if (++p->all == WINDOW) {
		p->all /= 2;
		p->vain /= 2;
	}
	return true;
}

/* More bytes came to a record in its time frame; if these are all, its elders are gone. Of a
 * blend it is not known who gave it elders. */
DH_INLINE dh_record dh_elder_note(const struct dh_self *t, dh_record old, dh_record made)
{
	if ((old & DH_ELDERS_FLAG) && !(made & DH_ABSENT_FIELD) &&
	    dh_record_site(old) < DH_BLEND_FIRST)
		dh_elder_pay_of(t, old)->vain++;
	return made;
}

/* A thread remembers the granules, by some of their bits, that it has given elders lately, and
 * how often each. One that stays among them for so long is split: it has been paid for by then.
 * Tables that are larger than all caches never do. */
enum { DH_OFTEN_BITS = 3, DH_OFTEN = (1 << DH_OFTEN_BITS) - 1 };

DH_INLINE uint32_t dh_elders_key(uintptr_t granule)
{
	return (uint32_t)(granule / DH_GRANULE) << DH_OFTEN_BITS;
}

DH_INLINE uint32_t *dh_elders_entry(const struct dh_self *t, uintptr_t granule)
{
	return &t->state->elder_granules[granule / DH_GRANULE % DH_ELDER_GRANULES];
}

DH_INLINE bool dh_elders_often(const struct dh_self *t, uintptr_t granule)
{
	return *dh_elders_entry(t, granule) == (dh_elders_key(granule) | DH_OFTEN);
}

DH_INLINE void dh_elders_note(const struct dh_self *t, uintptr_t granule)
{
	uint32_t *e = dh_elders_entry(t, granule), key = dh_elders_key(granule);
	if ((*e ^ key) > DH_OFTEN)
		*e = key;
	else if ((*e & DH_OFTEN) != DH_OFTEN)
		++*e;
}

/* ---- elders ---- */

/* Has a record in the cell, old, no bytes but these, so that it need not become an elder of
 * one that has them: its own elders go on as that one's. */
DH_INLINE bool dh_elder_superfluous(dh_record old, unsigned mask)
{
	return !(dh_record_mask(old) & ~mask);
}

/* Is something left of the first elder, or the others, once the cell's record has become an
 * elder of one that has these bytes? */
DH_INLINE bool dh_elder_lasts(const dh_record *first, dh_record old, unsigned mask)
{
	const unsigned have = dh_record_mask(old) | mask;
	if (!(old & DH_ELDERS_FLAG) || have == DH_WHOLE)
		return false;
	const dh_record r = DH_LOAD(first);
	return (r & DH_ELDERS_FLAG) || (dh_record_mask(r) & ~have);
}

/* Then it goes where its bytes are. */
DH_INLINE void dh_elder_moves(dh_record r, dh_record bytes[DH_GRANULE])
{
	const dh_record is = r & ~DH_ELDERS_FLAG;
	for (unsigned i = 0; i < DH_GRANULE; i++)
		if (dh_record_mask(r) >> i & 1)
			DH_STORE(&bytes[i], is);
		else if (!(r & DH_ELDERS_FLAG))
			DH_STORE(&bytes[i], 0);
}

/* Makes the cell's record the first elder of one that has these bytes. bytes: where the present
 * first one goes, if it lasts; else NULL. */
DH_INLINE void dh_elder_put(dh_record *first, dh_record *bytes, dh_record old, unsigned mask)
{
	if (bytes)
		dh_elder_moves(DH_LOAD(first), bytes);
	DH_STORE(first, dh_record_without(old, mask) | (bytes ? DH_ELDERS_FLAG : 0));
}

/* Could the word of a granule's cell, of any form, be the first elder of the record: is it one
 * record of other bytes and an earlier time frame, that it comes after? */
bool dh_elders_may(const struct dh_self *t, dh_record old, dh_record rec);

/* And is that better than to split the granule? Of a word that could be. */
bool dh_elders_fit(const struct dh_self *t, uintptr_t granule, dh_record old, dh_record rec);

/* Puts the record in place of the old one, which is that then. write: the word is that of the
 * writes. False: nothing was done, since the word is no longer that, or there is no room. The
 * thread need not be `inside`. By locked instructions, also where all is the thread's own: memory
 * may have to be made, and meanwhile others can come. */
bool dh_elders_push(struct dh_self *t, uintptr_t granule, dh_record *word, dh_record old,
		    dh_record rec, bool write);

/* A record with its elders, without what is made superfluous by later ones; how many they
 * are. Of words with elders. */
enum { DH_ELDERS_ALL = DH_GRANULE };
uint32_t dh_elders_items(uintptr_t granule, dh_record word, bool write,
			 dh_record room[DH_ELDERS_ALL]);

/* The word of them all that stands for itself: a set. Any other word is what it is. The
 * thread is `inside`. */
dh_record dh_elders_word(uintptr_t granule, dh_record word, bool write);

/* The same, but for those that have no other bytes than these. Of words with elders. */
dh_record dh_elders_outside(uintptr_t granule, dh_record word, bool write, unsigned mask);

#endif
