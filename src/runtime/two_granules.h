/* SPDX-License-Identifier: MIT */
/*
 * Aligned accesses of 16 bytes, which are two granules: the steps that they have before
 * those of aligned.h, in which each granule goes by itself.
 *   dh_two_glance            repeats in both, at first sight; dh_two_known: in sets
 *   dh_two_read              the first, where both hold the same; dh_two_after: writes;
 *                            dh_two_beside: beside reads of the same others
 *   dh_one_simply            as dh_access_simply, with one site for both
 */
#ifndef DH_RUNTIME_TWO_GRANULES_H
#define DH_RUNTIME_TWO_GRANULES_H

#include "runtime/aligned.h"

/* The cells of two granules that are accessed as one, and what they have of the kind of
 * the access. */
struct dh_seen_two {
	struct dh_cell *c; /* the first; the other follows */
	dh_record word[2];
};

/* What is found at first sight: DH_SIGHT_REPEAT is of both; DH_SIGHT_NONE also where their
 * cells do not follow each other; DH_SIGHT_SEVERAL is of the first. */
DH_INLINE enum dh_sight dh_two_glance(uintptr_t addr, bool write, struct dh_seen_two *s)
{
	const uint64_t now = dh_thread_self()->now, need = dh_record_need(DH_WHOLE);
	uintptr_t base = dh_flat_base(addr);
	if (DH_UNLIKELY(base <= 1) || DH_UNLIKELY((uint32_t)addr > (uint32_t)-16))
		return DH_SIGHT_NONE;
	s->c = dh_flat_cell_at(base, addr);
	s->word[0] = DH_LOAD(write ? &s->c[0].write : &s->c[0].read);
	s->word[1] = DH_LOAD(write ? &s->c[1].write : &s->c[1].read);
	if ((((s->word[0] ^ now) | (s->word[1] ^ now)) & need) == 0)
		return DH_SIGHT_REPEAT;
	return dh_record_is_tag(s->word[0]) ? DH_SIGHT_SEVERAL : DH_SIGHT_WHOLE;
}

/* Are both the set that was met last? */
DH_INLINE bool dh_two_recent(const struct dh_seen_two *s)
{
	const uint64_t recent = dh_thread_self()->recent;
	return ((s->word[0] ^ recent) | (s->word[1] ^ recent)) <= DH_RECORD_SITE_MAX;
}

/* Are both reads repeats in sets that are known? */
DH_INLINE bool dh_two_known(const struct dh_seen_two *s)
{
	struct dh_self *t = dh_thread_base();
	return dh_set_met(t, s->word[0]) &&
	       (s->word[0] == s->word[1] || dh_set_known(t, s->word[1], DH_WHOLE));
}

/* One of the two, where it is a repeat after all, or its cell has one record of each kind
 * at most. The site is asked for once for both. False: nothing was done. */
DH_INLINE bool dh_one_simply(struct dh_self *t, uintptr_t addr, bool write, uint64_t pc,
			     struct dh_cell *c, dh_record word, uint32_t *site)
{
	const dh_record last = write ? word : DH_LOAD(&c->write);
	const struct dh_seen s = {c, c, write ? 0 : word, last};
	if (dh_record_covers(word, t->now, DH_WHOLE) ||
	    dh_record_covers(last, t->now, DH_WHOLE))
		return true;
	if (write)
		return dh_simple_write(t, &s, DH_WHOLE, 0, site, pc) ||
		       dh_write_after(addr, DH_WHOLE, site, pc, &s);
	enum dh_first f = dh_simple_read(t, &s, DH_WHOLE, 0, site, pc);
	if (DH_UNLIKELY(f == DH_FIRST_MET))
		dh_access_slow(addr, DH_WHOLE, DH_ACCESS_AGAIN, pc);
	return f != DH_FIRST_NOT;
}

/* Do both cells hold the same, but for sites? Then what is asked of the one is the answer
 * for the other. */
DH_INLINE bool dh_two_same(const dh_record word[2], const dh_record other[2])
{
	return ((word[0] ^ word[1]) | (other[0] ^ other[1])) <= DH_RECORD_SITE_MAX;
}

/* A write of both, as dh_simple_write() or dh_write_after(), in such cells. False: nothing
 * was done. */
DH_INLINE bool dh_two_after(struct dh_self *t, uintptr_t addr, uint64_t pc,
			    const struct dh_seen_two *s)
{
	const dh_record read[2] = {DH_LOAD(&s->c[0].read), DH_LOAD(&s->c[1].read)};
	if (!dh_two_same(s->word, read))
		return false;
	bool own = dh_record_own(s->word[0], t->now);
	const bool simple = own && (!read[0] || dh_record_own(read[0], t->now));
	if (!simple && (!dh_comes_after(t, &s->c[0], s->word[0], read[0], &own) ||
			(!(s->word[0] | read[0]) && !dh_warm_has(&s->c[1]))))
		return false;
	uint32_t site = dh_site_of(t, pc, DH_SITES_READY);
	if (DH_UNLIKELY(!site))
		return false;
	const dh_record rec = dh_record_make(t->now, DH_WHOLE, false, site);
	t->dirty = true;
	if (simple) {
		DH_STORE(&s->c[0].write, rec);
		DH_STORE(&s->c[1].write, rec);
		return true;
	}
	for (unsigned i = 0; i < 2; i++) {
		enum dh_first f =
		    dh_put_after(t, &s->c[i], s->word[i], read[i], rec, own);
		if (DH_UNLIKELY(f != DH_FIRST_DONE))
			dh_access_slow(addr + i * DH_GRANULE, DH_WHOLE,
				       DH_ACCESS_WRITE | dh_first_flags(f), pc);
	}
	return true;
}

/* Both reads become this; own: as in dh_put_read(). Who came to a cell meanwhile is judged
 * there. */
DH_INLINE void dh_two_put(struct dh_self *t, uintptr_t addr, uint64_t pc,
			  const struct dh_seen_two *s, const dh_record write[2],
			  dh_record new, bool own)
{
	t->dirty = true;
	for (unsigned i = 0; i < 2; i++) {
		enum dh_first f =
		    dh_put_read(t, &s->c[i], s->word[i], write[i], new, own);
		if (DH_UNLIKELY(f != DH_FIRST_DONE))
			dh_access_slow(addr + i * DH_GRANULE, DH_WHOLE, dh_first_flags(f),
				       pc);
	}
}

/* A read of both, as dh_simple_read(), in such cells. False: nothing was done. */
DH_INLINE bool dh_two_read(struct dh_self *t, uintptr_t addr, uint64_t pc,
			   const struct dh_seen_two *s)
{
	const dh_record write[2] = {DH_LOAD(&s->c[0].write), DH_LOAD(&s->c[1].write)};
	const dh_record old = s->word[0];
	if (!dh_two_same(s->word, write))
		return false;
	if (dh_record_covers(write[0], t->now, DH_WHOLE))
		return true;
	if (!dh_is_ordered(t->vc, write[0]))
		return false;
	if (!dh_record_same_slot(old, t->now) && !dh_is_ordered(t->vc, old))
		return dh_kin_met(t, old);
	if (!(old | write[0]) &&
	    DH_UNLIKELY(!dh_warm_has(&s->c[0]) || !dh_warm_has(&s->c[1])))
		return false;
	uint32_t site = dh_site_of(t, pc, DH_SITES_READY);
	if (DH_UNLIKELY(!site))
		return false;
	const dh_record rec = dh_record_make(t->now, DH_WHOLE, false, site);
	const bool own = dh_record_same_slot(old ? old : write[0], rec);
	dh_two_put(t, addr, pc, s, write, rec, own);
	return true;
}

/* The first read of both, as dh_read_beside(), where the same others have read them. False:
 * nothing was done. */
DH_INLINE bool dh_two_beside(struct dh_self *t, uintptr_t addr, uint64_t pc,
			     const struct dh_seen_two *s)
{
	const dh_record write[2] = {DH_LOAD(&s->c[0].write), DH_LOAD(&s->c[1].write)};
	const dh_record read = s->word[0];
	if (read != s->word[1] || !dh_is_ordered(t->vc, write[0]) ||
	    !dh_is_ordered(t->vc, write[1]) ||
	    (!(write[0] && write[1]) && dh_maybe_constant(addr)))
		return false;
	const struct dh_recall *r = dh_recall_of(t, pc, false);
	const bool met = r->read == read && dh_recall_is_of(t, r, pc);
	const dh_record made = met ? r->made : dh_join_found(t, DH_WHOLE, pc, read);
	if (!made)
		return false;
	dh_two_put(t, addr, pc, s, write, made, false);
	if (met)
		t->state->read_sets.hits += r->joined;
	else
		dh_recall_join(t, pc, read, write[0], made);
	return true;
}

#endif
