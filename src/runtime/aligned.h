/* SPDX-License-Identifier: MIT */
/*
 * Aligned accesses of 1, 2, 4 or 8 bytes: the entry points that a program calls most. In
 * steps, each a function that ends by jumping to the next where it has not done it, so
 * that the common ones need no stack frame:
 *   dh_access_glance         a repeat in its time frame, at first sight
 *   dh_read_met              a read for which one stands that was met last
 *   dh_access_simply         the first of its time frame in a cell with few records
 *   dh_read_beside           a read beside those of others, where it is known what comes
 *                            of it
 *   dh_write_after           a write after accesses of others
 *   dh_access_in_lane        a read that one of another task stands for, where there are
 *                            several
 *   dh_access_among_several  a repeat, or a read in a place of the thread's own, where
 *                            there are several records
 *   dh_access_first          the first of its time frame anywhere
 *   dh_access_unsited        from a place of the program that has not been met lately
 * Accesses of 16 bytes have steps of their own before these (two_granules.h), those to
 * granules that are split as they are have one after the first (fine.h), those that find one
 * of the thread's own to other bytes one before dh_access_simply, if it is of the same time frame,
 * and else one after it (over.h).
 * What the first has found in the cell the next ones are given in registers
 * (steps.h, abi_access.c). Where a function has just been entered, its node is asked for before
 * the step after the first that needs a site, which then begins again. size is a constant where
 * these are used.
 */
#ifndef DH_RUNTIME_ALIGNED_H
#define DH_RUNTIME_ALIGNED_H

#include "runtime/access.h"

/* The level whose cells are as large as the access, if there is one beyond 0. */
DH_INLINE unsigned dh_fine_level(unsigned size)
{
	return size == 4 ? 1 : size == 2 ? 2 : size == 1 ? 3 : 0;
}

/* What dh_record_need() gives for the bytes of an aligned access. A table, because shifts
 * by a variable are dear. Of one that is not aligned it is what no record has; but with 8
 * bytes, where it would cost a load, what the granule has in which it begins. */
DH_INLINE uint64_t dh_need_of(uintptr_t addr, unsigned size)
{
#define NEED(size, at)                                                                   \
	(~(uint64_t)0 << DH_ATOMIC_SHIFT | (((uint64_t)1 << (size)) - 1)                 \
					       << ((at) + DH_ABSENT_SHIFT))
#define NONE ~(uint64_t)0
	static const uint64_t need4[] = {NEED(4, 0), NONE, NONE, NONE,
					 NEED(4, 4), NONE, NONE, NONE};
	static const uint64_t need2[] = {NEED(2, 0), NONE, NEED(2, 2), NONE,
					 NEED(2, 4), NONE, NEED(2, 6), NONE};
	static const uint64_t need1[] = {NEED(1, 0), NEED(1, 1), NEED(1, 2), NEED(1, 3),
					 NEED(1, 4), NEED(1, 5), NEED(1, 6), NEED(1, 7)};
#undef NONE
#undef NEED
	switch (size) {
	case 1:
		return need1[addr & 7];
	case 2:
		return need2[addr & 7];
	case 4:
		return need4[addr & 7];
	default:
		return dh_record_need(DH_WHOLE);
	}
}

/* What an entry point finds at first sight. */
enum dh_sight {
	DH_SIGHT_REPEAT, /* of its time frame: done */
	DH_SIGHT_NONE,	 /* no cell at hand: what another engine knows counts (lines.h) */
	DH_SIGHT_WHOLE,	 /* a granule that is not split, or not as the access is */
	DH_SIGHT_FINE,	 /* one that is */
	DH_SIGHT_SEVERAL, /* reads that stand for several records; of a part also such
			   * writes, or smaller cells */
};

/* And where: the granule's cell, the one that is for the access, and its words. */
struct dh_seen {
	struct dh_cell *granule, *c;
	dh_record read, write; /* read: for reads alone */
};

/* Looks at the words of s->c; the write only where the reads do not say enough. in: what
 * is found where it is no repeat and there are few reads. */
DH_INLINE enum dh_sight dh_sight_of(struct dh_seen *s, uint64_t need, bool write,
				    enum dh_sight in)
{
	const uint64_t now = dh_thread_self()->now;
	if (!write) {
		s->read = DH_LOAD(&s->c->read);
		if (((s->read ^ now) & need) == 0)
			return DH_SIGHT_REPEAT;
		if (dh_record_is_tag(s->read))
			return DH_SIGHT_SEVERAL;
	}
	s->write = DH_LOAD(&s->c->write);
	return ((s->write ^ now) & need) == 0 ? DH_SIGHT_REPEAT : in;
}

/* Loads and compares, in a granule that is whole or split as the access is. base: where
 * the cells of its piece begin. */
DH_INLINE enum dh_sight dh_glance_from(uintptr_t base, uintptr_t addr, unsigned size,
				       bool write, struct dh_seen *s)
{
	const unsigned fine = dh_fine_level(size);
	if (DH_UNLIKELY(base <= 1))
		return DH_SIGHT_NONE;
	s->c = s->granule = dh_flat_cell_at(base, addr);
	s->read = s->write = 0;
	if (!fine)
		return dh_sight_of(s, dh_need_of(addr, size), write, DH_SIGHT_WHOLE);
	const dh_record last = DH_LOAD(&s->c->write);
	if (!dh_is_split(last, fine)) {
		enum dh_sight sight =
		    dh_sight_of(s, dh_need_of(addr, size), write, DH_SIGHT_WHOLE);
		/* To a part mostly a repeat in smaller ones, which is not so simple. */
		return sight == DH_SIGHT_WHOLE && dh_record_is_tag(s->write)
			   ? DH_SIGHT_SEVERAL
			   : sight;
	}
	s->c = fine == 1 ? dh_flat_half_at(base, addr) : dh_split_cell(last, addr, fine);
	return dh_sight_of(s, dh_record_need(0), write, DH_SIGHT_FINE);
}

/* The same at an address of the program. What that is about to use is fetched meanwhile:
 * where the cell is not in a cache, neither is that, and a branch that was guessed wrong
 * would have the one wait for the other. */
DH_INLINE enum dh_sight dh_access_glance(uintptr_t addr, unsigned size, bool write,
					 struct dh_seen *s)
{
	uintptr_t base = dh_flat_base(addr);
	__builtin_prefetch((const void *)addr);
	return dh_glance_from(base, addr, size, write, s);
}

/* And at one aside, of the first piece of such. */
DH_INLINE enum dh_sight dh_aside_glance(uintptr_t aside, unsigned size, bool write,
					struct dh_seen *s)
{
	uintptr_t base = dh_flat_base(DH_SHADOW_ASIDE);
	return dh_glance_from(base, aside, size, write, s);
}

/* Of a task in a lane: has one of the lane a record that stands for the read, among the
 * several that the cell's reads are? As dh_read_stands(), where that takes no search: in
 * a set that is known; at home, or in one of the next places, which who does not find its
 * home free takes. */
DH_INLINE bool dh_lane_has_among(const struct dh_self *t, const struct dh_cell *c,
				 const dh_record *home, dh_record read, unsigned mask)
{
	enum { NEAR = 3 };
	if (!dh_is_ordered(t->vc, DH_LOAD(&c->write)))
		return false;
	if (!home)
		return dh_set_known_at(t, read, dh_lane_when(t), mask);
	if (dh_record_stands(DH_LOAD(home), t->now, t->alike, mask))
		return true;
	unsigned index = dh_home_of(t->now);
	for (unsigned i = 1; dh_is_readers(read) && i < NEAR; i++) {
		home += DH_PLACE_STEP;
		if (++index == DH_OWN_PLACES) {
			index = 0;
			home -= DH_OWN_PLACES * DH_PLACE_STEP;
		}
		if (dh_in_use(read, index) &&
		    dh_record_stands(DH_LOAD(home), t->now, t->alike, mask))
			return true;
	}
	return false;
}

/* The same for any thread: false where it is in no lane. c is the granule's cell. */
DH_INLINE bool dh_access_in_lane(uintptr_t addr, unsigned size, const struct dh_cell *c)
{
	const struct dh_self *t = dh_thread_base();
	const unsigned fine = dh_fine_level(size);
	unsigned mask = dh_mask_of(addr, size), level = 0;
	if (DH_LIKELY(!t->alike) || DH_UNLIKELY(!t->simply))
		return false;
	const dh_record last = DH_LOAD(&c->write);
	if (DH_UNLIKELY(dh_is_split(last, fine))) {
		c = dh_split_cell(last, addr, fine);
		level = fine;
		mask = 0;
	}
	dh_record read;
	const dh_record *home = dh_place_in(c, addr, t->now, level, &read);
	return dh_lane_has_among(t, c, home, read, mask);
}

/* A read where several threads have places, if the thread has one: a repeat, or the first
 * of its time frame, which takes the place of an older one. False: nothing was done. */
DH_INLINE bool dh_read_in_own_place(struct dh_cell *c, uintptr_t addr, unsigned mask,
				    unsigned level, uint64_t pc)
{
	struct dh_self *t = dh_thread_base();
	dh_record read, *place = dh_place_in(c, addr, t->now, level, &read);
	if (place && dh_record_covers(DH_LOAD(place), t->now, dh_level_mask(mask, level))) {
		if (mask == DH_WHOLE && DH_LIKELY(t->simply))
			dh_note_cell(t, c, read);
		return true;
	}
	if (!place || DH_UNLIKELY(!t->simply || t->alike))
		return false;
	uint32_t site = dh_site_of(t, pc, DH_SITES_READY);
	if (!site || !dh_is_ordered(t->vc, DH_LOAD(&c->write)))
		return false;
	t->dirty = true;
	enum dh_first f = dh_renew_place(
	    t, c, addr, place, dh_record_make(t->now, mask, false, site), read, level);
	if (f == DH_FIRST_DONE && level && DH_UNLIKELY(!dh_still_split(addr, level)))
		f = DH_FIRST_MET;
	if (DH_UNLIKELY(f == DH_FIRST_MET))
		dh_access_slow(addr, mask, DH_ACCESS_AGAIN, pc);
	return f == DH_FIRST_DONE || f == DH_FIRST_MET;
}

/* The same of a whole granule whose reads, the tag, say that the thread's place is taken, with
 * a record of its own in it, in fewer steps; not in a crowd. */
DH_INLINE bool dh_read_at_home(struct dh_cell *c, uintptr_t addr, dh_record read, uint64_t pc)
{
	struct dh_self *t = dh_thread_base();
	const unsigned home = dh_home_of(t->now);
	if (!(dh_is_readers(read) && dh_in_use(read, home)) || DH_UNLIKELY(t->alike))
		return false;
	dh_record *place = dh_flat_readers(addr, 0);
	if (DH_UNLIKELY(!place || !t->simply))
		return false;
	place = dh_place_at(place, home);
	const dh_record old = DH_LOAD(place);
	if (dh_record_covers(old, t->now, DH_WHOLE)) {
		dh_note_cell(t, c, read);
		return true;
	}
	if (!dh_record_own(old, t->now) || dh_record_atomic(old))
		return false;
	const uint32_t site = dh_site_of(t, pc, DH_SITES_READY);
	if (!site || !dh_is_ordered(t->vc, DH_LOAD(&c->write)))
		return false;
	t->dirty = true;
	DH_STORE(place, dh_record_make(t->now, DH_WHOLE, false, site));
	if (DH_UNLIKELY(DH_LOAD(&c->read) != read ||
			!dh_is_ordered(t->vc, DH_LOAD(&c->write))))
		dh_access_slow(addr, DH_WHOLE, DH_ACCESS_AGAIN, pc);
	return true;
}

/* Is it one in all cells of the access, from c on, in a level whose cells are smaller than
 * it? */
DH_INLINE bool dh_repeats_in_parts(const struct dh_cell *c, unsigned size, unsigned level,
				   bool write)
{
	const uint64_t now = dh_thread_self()->now;
	for (unsigned i = 0; i < size >> dh_level_shift(level); i++)
		if (!dh_cell_covers(&c[i], now, 0, write))
			return false;
	return true;
}

/* Is it a repeat where there are several records, or done with the thread's own? */
DH_INLINE bool dh_access_among_several(uintptr_t addr, unsigned size, bool write,
				       uint64_t pc, struct dh_cell *c)
{
	const unsigned fine = dh_fine_level(size), mask = dh_mask_of(addr, size);
	const uint64_t now = dh_thread_self()->now;
	const dh_record last = DH_LOAD(&c->write);
	const enum dh_split_tag tag = dh_tag_of(last);
	if (!tag)
		return dh_cell_repeats(c, now, mask, write) ||
		       (!write && dh_read_in_own_place(c, addr, mask, 0, pc));
	if (tag > DH_TAG_SPLIT_1)
		return !write && tag == DH_TAG_CONST;
	const uintptr_t start = addr & -(uintptr_t)size;
	c = dh_split_cell(last, start, tag);
	if (tag == fine)
		return dh_cell_repeats(c, now, 0, write) ||
		       (!write && dh_read_in_own_place(c, addr, mask, fine, pc));
	return tag > fine && dh_repeats_in_parts(c, size, tag, write);
}

/* Everything but a repeat, in the cell of addr in a level. False: nothing was done,
 * because the site is not ready. */
DH_INLINE bool dh_first_in(struct dh_self *t, struct dh_cell *c, uintptr_t addr,
			   unsigned mask, unsigned level, bool write, uint64_t pc)
{
	const enum dh_sites which = DH_SITES_READY;
	dh_record rec = dh_record_make(t->now, mask, false, 0), found;
	unsigned flags = write ? DH_ACCESS_WRITE : 0;
	if (!write && DH_UNLIKELY(t->alike)) {
		if (!dh_read_stands(t, c, addr & ~(uintptr_t)7, mask, level))
			dh_access_some(addr & ~(uintptr_t)7, mask, flags, pc);
		return true;
	}
	enum dh_first f =
	    write
		? dh_first_write(t, c, &rec, &found, mask, level, which, pc)
		: dh_first_read(t, c, addr, &rec, &found, mask, level, false, which, pc);
	if (DH_LIKELY(f == DH_FIRST_DONE)) {
		if (level && DH_UNLIKELY(!dh_still_split(addr, level)))
			dh_access_slow(addr, mask, flags | DH_ACCESS_AGAIN, pc);
		return true;
	}
	if (f == DH_FIRST_UNSITED)
		return false;
	if (f == DH_FIRST_SHARED)
		dh_access_shared(c, addr & ~(uintptr_t)7, rec, found,
				 flags << DH_SHARED_FLAGS | level, pc);
	else
		dh_access_slow(addr, mask, flags | dh_first_flags(f), pc);
	return true;
}

/* The access in a granule that is split into cells of a level that are smaller than it:
 * in all of them that it touches, from c on. Not inlined, to keep the others short. */
static __attribute__((noinline, unused)) void
dh_first_in_parts(struct dh_cell *c, uintptr_t addr, unsigned size, unsigned level,
		  bool write, uint64_t pc)
{
	struct dh_self *t = dh_thread_base();
	const unsigned mask = dh_mask_of(addr, size), shift = dh_level_shift(level);
	for (unsigned i = 0; i < size >> shift; i++) {
		if (dh_cell_repeats(&c[i], t->now, 0, write) ||
		    dh_first_in(t, &c[i], addr + (i << shift), mask, level, write, pc))
			continue;
		dh_access_some(addr & ~(uintptr_t)7, mask, write ? DH_ACCESS_WRITE : 0,
			       pc);
		return;
	}
}

/* The access where it is no repeat; c is the granule's cell, or NULL. False: nothing was
 * done, because the site is not ready: dh_access_unsited(). */
DH_INLINE bool dh_access_first(uintptr_t addr, unsigned size, bool write, uint64_t pc,
			       struct dh_cell *c)
{
	struct dh_self *t = dh_thread_base();
	const unsigned mask = dh_mask_of(addr, size), flags = write ? DH_ACCESS_WRITE : 0;
	const uintptr_t start = addr & -(uintptr_t)size;
	if (DH_UNLIKELY(!t->simply || !c)) {
		dh_access_told(addr, size | flags << DH_TOLD_FLAGS, pc, c);
		return true;
	}
	dh_record last = DH_LOAD(&c->write);
	if (DH_LIKELY(!dh_record_is_tag(last) || dh_sets_is_set(last)))
		return dh_first_in(t, c, addr, mask, 0, write, pc);
	const unsigned fine = dh_fine_level(size), level = dh_tag_of(last);
	if (dh_is_split(last, fine))
		return dh_first_in(t, dh_split_cell(last, addr, fine), addr, mask, fine,
				   write, pc);
	if (fine < level && level <= DH_TAG_SPLIT_1)
		dh_first_in_parts(dh_split_cell(last, start, level), addr, size, level,
				  write, pc);
	else
		dh_access_some(addr & ~(uintptr_t)7, mask, flags, pc);
	return true;
}

/* The site of pc is asked for at most once, if it is ready: *site is 0 before. */
DH_INLINE bool dh_site_once(struct dh_self *t, uint64_t pc, uint32_t *site)
{
	return *site || (*site = dh_site_of(t, pc, DH_SITES_READY));
}

/* The read of a cell in which its record comes after what is there; own: that is the
 * thread's. Done; met; or not. */
DH_INLINE enum dh_first dh_put_read(const struct dh_self *t, struct dh_cell *c,
				    dh_record read, dh_record write, dh_record rec,
				    bool own)
{
	if (own) {
		DH_STORE(&c->read, rec);
		return DH_FIRST_DONE;
	}
	return dh_put_joined(t, c, read, rec, write);
}

/* Has one of the task's kin read the whole granule, as this record in its cell says? Mostly
 * it is the one that was met last. */
DH_INLINE bool dh_kin_met(struct dh_self *t, dh_record read)
{
	if ((read ^ t->recent) <= DH_RECORD_SITE_MAX)
		return true;
	if (!dh_kin_has(t->kin, read, DH_WHOLE))
		return false;
	dh_note_recent(t, t->now, read);
	return true;
}

/* Of a word of reads that was met last (dh_set_recent()) and is no set: one of the task's kin
 * stands for the read, if that comes after who wrote there. */
DH_INLINE bool dh_read_met(const struct dh_seen *s)
{
	return s->read && dh_is_ordered(dh_thread_base()->vc, s->write);
}

/* The same where the cell, c, has one record of each kind at most, which the access comes
 * after: so little that it needs no stack frame. *site is that of pc, or 0 where it has
 * not been asked for. Done, met, or not. */
DH_INLINE enum dh_first dh_simple_read(struct dh_self *t, const struct dh_seen *s,
				       unsigned mask, unsigned level, uint32_t *site,
				       uint64_t pc)
{
	const dh_record old = s->read, write = s->write;
	if (!dh_is_ordered(t->vc, write))
		return DH_FIRST_NOT;
	if (!dh_record_same_slot(old, t->now) && !dh_is_ordered(t->vc, old))
		return mask == DH_WHOLE && dh_kin_met(t, old) ? DH_FIRST_DONE
							      : DH_FIRST_NOT;
	if ((old && dh_keeps(old, mask, level)) || DH_UNLIKELY(!dh_site_once(t, pc, site)))
		return DH_FIRST_NOT;
	const dh_record rec = dh_record_make(t->now, mask, false, *site);
	t->dirty = true;
	const bool own = dh_record_same_slot(old ? old : write, rec);
	if (!(old | write) && level == 0 && DH_UNLIKELY(!dh_warm_has(s->c)))
		return DH_FIRST_NOT;
	const enum dh_first f = dh_put_read(t, s->c, old, write, rec, own);
	if (mask == DH_WHOLE && level == 0 && f == DH_FIRST_DONE)
		dh_recall_note(t, pc, old, write, rec, own ? DH_RECALL_PLAIN : 0);
	return f;
}

/* False: nothing was done. */
DH_INLINE bool dh_simple_write(struct dh_self *t, const struct dh_seen *s, unsigned mask,
			       unsigned level, uint32_t *site, uint64_t pc)
{
	const dh_record write = s->write, read = DH_LOAD(&s->c->read);
	if (!dh_record_own(write, t->now) || (read && !dh_record_own(read, t->now)))
		return false;
	if (dh_keeps(write, mask, level) || DH_UNLIKELY(!dh_site_once(t, pc, site)))
		return false;
	const dh_record rec = dh_record_make(t->now, mask, false, *site);
	t->dirty = true;
	DH_STORE(&s->c->write, rec);
	if (mask == DH_WHOLE && level == 0)
		dh_recall_note(t, pc, read, write, rec, DH_RECALL_WRITE | DH_RECALL_PLAIN);
	return true;
}

/* Of a task in a lane: is the one read of the cell one that stands for it? mask: 0 in the
 * finer levels. */
DH_INLINE bool dh_lane_has_read(const struct dh_self *t, const struct dh_seen *s,
				unsigned mask)
{
	return dh_record_stands(s->read, t->now, t->alike, mask) &&
	       dh_is_ordered(t->vc, s->write);
}

/* An access that is no repeat, in such a cell. */
DH_INLINE bool dh_access_simply(uintptr_t addr, unsigned size, bool write, uint64_t pc,
				const struct dh_seen *s)
{
	struct dh_self *t = dh_thread_base();
	const unsigned mask = dh_mask_of(addr, size), flags = write ? DH_ACCESS_WRITE : 0;
	if (DH_UNLIKELY(!t->simply)) {
		dh_access_told(addr, size | flags << DH_TOLD_FLAGS, pc, s->granule);
		return true;
	}
	if (!write && DH_UNLIKELY(t->alike))
		return dh_lane_has_read(t, s, mask);
	uint32_t site = 0;
	enum dh_first f = DH_FIRST_DONE;
	if (!write)
		f = dh_simple_read(t, s, mask, 0, &site, pc);
	else if (!dh_simple_write(t, s, mask, 0, &site, pc))
		f = DH_FIRST_NOT;
	if (f == DH_FIRST_NOT)
		return false;
	if (DH_UNLIKELY(f == DH_FIRST_MET))
		dh_access_slow(addr, mask, DH_ACCESS_AGAIN | flags, pc);
	return true;
}

/* Does a write come after all that a cell holds, or is the cell empty, and fit for a first
 * record? *own: the last write is the thread's own, or nobody else can be here. */
DH_INLINE bool dh_comes_after(const struct dh_self *t, const struct dh_cell *c,
			      dh_record write, dh_record read, bool *own)
{
	if (!(write | read)) {
		*own = dh_is_fresh(t, c);
		return DH_LIKELY(dh_warm_has(c));
	}
	*own = false;
	if (!dh_is_ordered(t->vc, read) && !dh_is_past(t, read))
		return false;
	*own = dh_record_own(write, t->now);
	return *own || dh_is_ordered(t->vc, write);
}

/* Puts its record there. Done; met: it has to be judged again; or not. */
DH_INLINE enum dh_first dh_put_after(const struct dh_self *t, struct dh_cell *c,
				     dh_record write, dh_record read, dh_record rec,
				     bool own)
{
	if (own)
		DH_STORE(&c->write, rec);
	else if (!dh_swap(t, &c->write, write, rec))
		return DH_FIRST_NOT;
	if (DH_UNLIKELY(DH_LOAD(&c->read) != read))
		return DH_FIRST_MET;
	if (read)
		DH_STORE(&c->read, 0);
	return DH_FIRST_DONE;
}

/* The first write of a time frame in the granule's cell, after accesses of others that are
 * ordered, or none; those that are there have no other bytes. False: nothing was done. */
DH_INLINE bool dh_write_after(uintptr_t addr, unsigned mask, uint32_t *site, uint64_t pc,
			      const struct dh_seen *s)
{
	struct dh_self *t = dh_thread_base();
	const dh_record write = s->write, read = DH_LOAD(&s->c->read);
	if (mask != DH_WHOLE && (read || (write && dh_record_beyond(write, mask))))
		return false;
	bool own;
	if (!dh_comes_after(t, s->c, write, read, &own))
		return false;
	if (DH_UNLIKELY(!dh_site_once(t, pc, site)))
		return false;
	t->dirty = true;
	const dh_record rec = dh_record_make(t->now, mask, false, *site);
	enum dh_first f = dh_put_after(t, s->c, write, read, rec, own);
	if (f == DH_FIRST_NOT)
		return false;
	if (DH_UNLIKELY(f == DH_FIRST_MET))
		dh_access_slow(addr, mask, DH_ACCESS_WRITE | DH_ACCESS_AGAIN, pc);
	else if (mask == DH_WHOLE)
		dh_recall_note_dear(t, pc, read, write, rec,
				    DH_RECALL_WRITE | (own ? DH_RECALL_PLAIN : 0));
	return true;
}

/* Is a read in a granule that is whole one that may join others, as far as the write goes? */
DH_INLINE bool dh_may_join(const struct dh_self *t, uintptr_t addr,
			   const struct dh_seen *s)
{
	return DH_LIKELY(t->simply && !t->alike) && dh_is_ordered(t->vc, s->write) &&
	       (s->write || !dh_maybe_constant(addr));
}

/* False: nothing was done. */
DH_INLINE bool dh_join_with(struct dh_self *t, uintptr_t addr, unsigned mask, uint64_t pc,
			    const struct dh_seen *s, dh_record made)
{
	t->dirty = true;
	enum dh_first f = dh_put_joined(t, s->c, s->read, made, s->write);
	if (DH_UNLIKELY(f == DH_FIRST_MET))
		dh_access_slow(addr, mask, DH_ACCESS_AGAIN, pc);
	return f != DH_FIRST_NOT;
}

/* What comes of a read at pc beside these, if the memo has it; else 0. */
DH_INLINE dh_record dh_join_found(struct dh_self *t, unsigned mask, uint64_t pc, dh_record read)
{
	const uint32_t site = dh_site_of(t, pc, DH_SITES_READY);
	if (DH_UNLIKELY(!site))
		return 0;
	const dh_record made =
	    dh_joined_readers(t, read, dh_record_make(t->now, mask, false, site));
	if (made && !t->state->handler_count)
		dh_note_known(t, made, mask);
	return made;
}

/* The first read of its bytes in its time frame, in a granule that is whole, beside reads of
 * others that are not ordered or are a set, where it is known what comes of it. False: nothing
 * was done. */
DH_INLINE bool dh_read_beside(uintptr_t addr, unsigned mask, uint64_t pc,
			      const struct dh_seen *s)
{
	struct dh_self *t = dh_thread_base();
	if (!dh_may_join(t, addr, s))
		return false;
	const dh_record made = dh_join_found(t, mask, pc, s->read);
	if (!made || !dh_join_with(t, addr, mask, pc, s, made))
		return false;
	dh_recall_join(t, dh_recall_key(pc, mask), s->read, s->write, made);
	return true;
}

/* Goes on from there. True: now the site is ready, and dh_access_first() will do it; else
 * it is done. */
DH_INLINE bool dh_access_unsited(uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	if (dh_site_at_hand(dh_thread_base(), pc))
		return true;
	dh_access_some(addr & ~(uintptr_t)7, dh_mask_of(addr, size),
		       write ? DH_ACCESS_WRITE : 0, pc);
	return false;
}

#endif
