/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of access.h.
 *
 * Invariants of a cell that is not split:
 *   (A) write holds the last write to each byte: one record, or a set of records for
 *       different bytes, or for the same with atomic ones among them; where sets for
 *       different bytes do not pay, it is split before the older would be lost;
 *   (B) read holds, of each thread that read since, its last read, but for reads that
 *       are ordered before a later read kept in their place or before the last write.
 *       Reads may stay longer than needed.
 * As in FastTrack, whoever would race with something that was dropped also races with
 * what took its place. Atomic writes are no race with each other and conflict with less
 * than plain ones: what such a one does not stand for stays beside it (writers.c), and so
 * do reads that say more than it. One exception: where sets of these do not pay, it takes
 * the place of all, as it does of reads that have places of their own. What would race
 * with something that was dropped then is not found. But a plain write of the same bytes
 * that it comes after stays, until the next read, in place of the reads if there are none
 * (dh_record_is_kept): memory that is set up plainly and then used atomically by all may
 * not have been handed over.
 *
 * A record is replaced by compare-and-swap on the very value that was judged; when that
 * fails the new value is judged again. Several readers: readers.c; writes of different
 * bytes: writers.c; splitting: split.c.
 */
#include "runtime/aligned.h"
#include "runtime/attempt.h"
#include "runtime/blend.h"
#include "runtime/elders.h"
#include "runtime/evidence.h"
#include "runtime/observer.h"
#include "runtime/over.h"
#include "runtime/race.h"

/* ---- judging ---- */

static DH_COLD void race(struct dh_attempt *a, dh_record other, bool other_write)
{
	unsigned unit = 1u << dh_level_shift(a->level);
	unsigned bytes = ((1u << unit) - 1) << (a->unit - a->granule);
	if ((dh_record_atomic(other) && (a->flags & DH_ACCESS_ATOMIC)) ||
	    (a->flags & DH_ACCESS_PAST))
		return;
	other = dh_blend_part(other, bytes & a->mask);
	dh_race_found(a->self, a->granule, a->mask, a->rec, a->flags, other, other_write);
	a->raced = true;
}

/* Judges the records of a word of the cell at hand that share bytes with the access. */
static void check(struct dh_attempt *a, dh_record word, bool write)
{
	dh_record room[DH_OWN_PLACES];
	uint32_t count;
	if (dh_record_has_elders(word) && dh_attempt_after(a, word))
		return;
	const dh_record *at = dh_reads_items(a, word, write, room, &count);
	for (uint32_t i = 0; i < count; i++) {
		dh_record r = DH_LOAD(&at[i]);
		bool meets = dh_attempt_fine(a) || (dh_record_mask(r) & a->mask);
		if (DH_UNLIKELY(!dh_attempt_after(a, r)) && meets)
			race(a, r | dh_sets_site(word), write);
	}
}

/* ---- one cell ---- */

/* Judges a plain write that an atomic one of the cell's writes, of its bytes, came over.
 * Where a plain one has come over that since, it stands for both. */
static void check_kept(struct dh_attempt *a, dh_record kept, dh_record write)
{
	dh_record place;
	uint32_t count, i = 0;
	if (dh_tag_of(write) || dh_attempt_after(a, kept))
		return;
	const dh_record *at = dh_sets_items(write, &place, &count);
	while (i < count && !dh_record_atomic(at[i]))
		i++;
	if (i < count && (dh_attempt_fine(a) || (dh_record_mask(at[i]) & a->mask)))
		race(a, dh_record_unkept(kept, at[i]), true);
}

/* The write that was there is a plain one, the new one comes after it and is atomic. */
static void keep(const struct dh_attempt *a, struct dh_cell *c, dh_record was)
{
	dh_record none = 0;
	if ((a->flags & DH_ACCESS_ATOMIC) && was && !dh_record_is_tag(was) &&
	    !dh_record_atomic(was) && !dh_record_has_elders(was) && dh_attempt_after(a, was) &&
	    (dh_attempt_fine(a) || dh_record_mask(was) == a->mask))
		DH_SWAP(&c->read, none, dh_record_kept(was));
}

/* Has the word, of a few records, a read that says more than an atomic write of its bytes:
 * a plain one, which would race with other atomic writes, or one that the write does not
 * come after? Many would have to be gone through at each write. */
static bool outlives(const struct dh_attempt *a, dh_record word)
{
	enum { FEW = 8 };
	dh_record place;
	uint32_t count;
	if (!(a->flags & DH_ACCESS_ATOMIC) || dh_tag_of(word))
		return false;
	const dh_record *at = dh_sets_items(word, &place, &count);
	for (uint32_t i = 0; count <= FEW && i < count; i++)
		if (!dh_record_atomic(at[i]) || !dh_attempt_after(a, at[i]))
			return true;
	return false;
}

/* Judges the reads after the write has become visible, and takes away those whose bytes
 * are all written. */
static void drop_reads(struct dh_attempt *a, struct dh_cell *c, dh_record was)
{
	dh_record read;
	while (DH_UNLIKELY((read = dh_reads_settled(c)) != 0)) {
		if (dh_record_is_kept(read)) {
			bool stays =
			    (a->flags & DH_ACCESS_ATOMIC) && dh_attempt_after(a, read);
			check_kept(a, read, was);
			if (stays || DH_SWAP(&c->read, read, 0))
				return;
			continue;
		}
		unsigned mask = dh_attempt_fine(a) ? a->mask : dh_reads_mask(a, read);
		if (!(mask & a->mask))
			return;
		check(a, read, false);
		if ((mask & ~a->mask) || outlives(a, read) ||
		    __atomic_compare_exchange_n(&c->read, &read, 0, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return;
	}
}

enum dh_outcome dh_attempt_over(const struct dh_attempt *a, dh_record *word, dh_record old)
{
	if (dh_attempt_fine(a) || (a->flags & (DH_ACCESS_ATOMIC | DH_ACCESS_PAST)) ||
	    !dh_elders_may(a->self, old, a->rec))
		return DH_OUTCOME_OTHER;
	if (dh_elders_fit(a->self, a->granule, old, a->rec) &&
	    dh_elders_push(a->self, a->granule, word, old, a->rec,
			   a->flags & DH_ACCESS_WRITE))
		return DH_OUTCOME_DONE;
	return DH_LOAD(word) == old ? DH_OUTCOME_SPLIT : DH_OUTCOME_OTHER;
}

/* In level 0 a record may be for some of the cell's bytes only; in the finer levels
 * every record is for all of them. */
static enum dh_outcome write_cell(struct dh_attempt *a, struct dh_cell *c)
{
	dh_record old = DH_LOAD(&c->write), new = 0;
	do {
		if (dh_tag_of(old))
			return DH_OUTCOME_SPLIT;
		const enum dh_outcome over = dh_attempt_over(a, &c->write, old);
		if (over == DH_OUTCOME_DONE)
			break;
		if (over == DH_OUTCOME_SPLIT || !(new = dh_writes_with(a, old)))
			return DH_OUTCOME_SPLIT;
	} while (!DH_SWAP(&c->write, old, new));
	check(a, old, true);
	drop_reads(a, c, old);
	if (new == a->rec)
		keep(a, c, old);
	return DH_OUTCOME_DONE;
}

/* Does the read of another task of its lane stand for this one? */
static bool has_been_read(const struct dh_attempt *a, const struct dh_cell *c)
{
	return a->self->alike && !(a->flags & (DH_ACCESS_ATOMIC | DH_ACCESS_PAST)) &&
	       dh_reads_stand(a->self, c, a->granule, a->mask, a->level);
}

static enum dh_outcome read_cell(struct dh_attempt *a, struct dh_cell *c)
{
	dh_record read = DH_LOAD(&c->read);
	if (DH_UNLIKELY(dh_record_is_kept(read)))
		check_kept(a, read, DH_LOAD(&c->write));
	if (!has_been_read(a, c) && dh_reads_add(a, c) == DH_OUTCOME_SPLIT)
		return DH_OUTCOME_SPLIT;
	dh_record write = __atomic_load_n(&c->write, __ATOMIC_SEQ_CST);
	if (dh_tag_of(write))
		return write == dh_tag(DH_TAG_CONST) ? DH_OUTCOME_DONE : DH_OUTCOME_SPLIT;
	check(a, write, true);
	return DH_OUTCOME_DONE;
}

/* The cell of `unit` in a level. */
static enum dh_outcome access_cell(struct dh_attempt *a, struct dh_cell *c,
				   uintptr_t unit, unsigned level)
{
	a->unit = unit;
	a->level = level;
	return a->flags & DH_ACCESS_WRITE ? write_cell(a, c) : read_cell(a, c);
}

static void make_record(struct dh_attempt *a)
{
	struct dh_self *t = a->self;
	bool atomic = a->flags & DH_ACCESS_ATOMIC;
	if (a->flags & DH_ACCESS_PAST)
		return;
	a->rec = dh_record_make(t->epoch, a->mask, atomic, dh_thread_site(t, a->pc));
	t->dirty = true;
}

/* ---- the cells of a split granule ---- */

/* Does the record of this time frame stand for the access, as far as its cell goes? */
static bool stands(const struct dh_attempt *a, dh_record r)
{
	return dh_record_same_epoch(r, a->self->epoch) &&
	       dh_record_atomic(r) <= (bool)(a->flags & DH_ACCESS_ATOMIC);
}

static bool repeats_in(const struct dh_attempt *a, const struct dh_cell *c)
{
	return stands(a, DH_LOAD(&c->write)) ||
	       (!(a->flags & DH_ACCESS_WRITE) && stands(a, DH_LOAD(&c->read)));
}

static unsigned level_of(dh_record split)
{
	return dh_tag_level(dh_split_kind(split));
}

/* split: how it is, or 0. False: meanwhile it is split in another way, or no longer. */
static bool access_fine(struct dh_attempt *a, struct dh_cell *c, dh_record split)
{
	if (!split)
		return false;
	if (level_of(split) < dh_split_level(a->mask) && !(split = dh_split(a, c)))
		return true;
	unsigned level = level_of(split), unit = 1u << dh_level_shift(level);
	struct dh_cell *fine = dh_split_parts(split);
	for (unsigned at = 0; at < DH_GRANULE; at += unit, fine++) {
		unsigned mask = ((1u << unit) - 1) << at;
		if (!(a->mask & mask) || (!a->again && repeats_in(a, fine)))
			continue;
		if (!a->rec)
			make_record(a);
		access_cell(a, fine, a->granule + at, level);
	}
	return dh_split_settled(c) == split;
}

/* ---- one granule ---- */

static bool covered(const struct dh_attempt *a, dh_record r)
{
	return stands(a, r) && !(a->mask & ~dh_record_mask(r));
}

static bool any_covers(const struct dh_attempt *a, dh_record word, bool write)
{
	dh_record room[DH_OWN_PLACES];
	uint32_t count;
	if (word == dh_tag(DH_TAG_CROWD))
		return covered(a, dh_reads_own(a, false)) ||
		       ((a->flags & DH_ACCESS_ATOMIC) &&
			covered(a, dh_reads_own(a, true)));
	if (dh_record_has_elders(word)) /* these are of earlier time frames */
		return covered(a, word);
	const dh_record *at = dh_reads_items(a, word, write, room, &count);
	for (uint32_t i = 0; i < count; i++)
		if (covered(a, DH_LOAD(&at[i])))
			return true;
	return false;
}

static bool is_repeat(const struct dh_attempt *a, const struct dh_cell *c,
		      dh_record write)
{
	return any_covers(a, write, true) ||
	       (!(a->flags & DH_ACCESS_WRITE) && any_covers(a, dh_reads_settled(c), false));
}

/* The fast path did not see that it is a repeat: it will, if it knows the set, and has
 * the site that it asks for first. */
static void note_repeat(const struct dh_attempt *a, const struct dh_cell *c,
			dh_record write)
{
	struct dh_self *t = a->self;
	dh_record word = a->flags & DH_ACCESS_WRITE ? write : DH_LOAD(&c->read);
	if (a->flags & DH_ACCESS_PAST)
		return;
	dh_thread_site(t, a->pc);
	unsigned own = dh_sets_is_set(word) ? dh_sets_own(t, word) : 0;
	if (own && !t->state->handler_count)
		dh_note_known(t, word, own);
}

/* The granule's cell is not split. False: it is, after this. */
static bool access_whole(struct dh_attempt *a, struct dh_cell *c)
{
	make_record(a);
	return DH_LIKELY(access_cell(a, c, a->granule, 0) == DH_OUTCOME_DONE) ||
	       !dh_split(a, c);
}

/* Until it is done in whatever form the granule has then. */
static void access_as_it_is(struct dh_attempt *a, struct dh_cell *c)
{
	while (!(dh_tag_of(DH_LOAD(&c->write)) ? access_fine(a, c, dh_split_settled(c))
					       : access_whole(a, c)))
		a->again = true;
}

/* It is written after all. */
static dh_record not_constant(struct dh_cell *c)
{
	dh_record tag = dh_tag(DH_TAG_CONST);
	DH_SWAP(&c->write, tag, 0);
	return DH_LOAD(&c->write);
}

static void access_granule(struct dh_attempt *a)
{
	struct dh_cell *c = dh_shadow_cell(a->granule);
	if (DH_UNLIKELY(!c))
		return;
	a->again = a->flags & DH_ACCESS_AGAIN;
	a->unit = a->granule;
	dh_record write = DH_LOAD(&c->write);
	if (DH_UNLIKELY(write == dh_tag(DH_TAG_CONST))) {
		if (!(a->flags & DH_ACCESS_WRITE))
			return;
		write = not_constant(c);
	}
	if (DH_UNLIKELY(dh_split_kind(write) == DH_TAG_WATCHED) &&
	    !dh_evidence_access(a->self, a->granule, a->mask, a->flags, a->pc))
		dh_split_unwatch(c);
	if (dh_tag_of(write) || a->again || !is_repeat(a, c, write))
		access_as_it_is(a, c);
	else
		note_repeat(a, c, write);
	if (DH_UNLIKELY(a->raced) && dh_evidence_wants(a->granule))
		dh_split_watch(a, c);
}

void dh_access_bytes(struct dh_self *t, uintptr_t granule, unsigned mask, unsigned flags,
		     uint64_t pc)
{
	access_granule(&(struct dh_attempt){
	    .self = t, .granule = granule, .mask = mask, .flags = flags, .pc = pc});
}

void dh_access_past(struct dh_self *as, uintptr_t granule, dh_record rec, bool write)
{
	unsigned flags = DH_ACCESS_PAST | (write ? DH_ACCESS_WRITE : 0) |
			 (dh_record_atomic(rec) ? DH_ACCESS_ATOMIC : 0);
	access_granule(&(struct dh_attempt){.self = as,
					    .granule = granule,
					    .mask = dh_record_mask(rec),
					    .flags = flags,
					    .rec = rec});
}

DH_NOINLINE void dh_access_slow(uintptr_t addr, unsigned mask, unsigned flags,
				uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	if (DH_UNLIKELY(!t->now || t->inside))
		return;
	if (DH_UNLIKELY(dh_observer != NULL)) {
		unsigned from = (unsigned)__builtin_ctz(mask);
		unsigned to = 32 - (unsigned)__builtin_clz(mask);
		dh_observe_access((addr & ~(uintptr_t)7) + from, to - from, flags, pc);
		return;
	}
	dh_enter_runtime(t);
	dh_access_bytes(t, addr & ~(uintptr_t)7, mask, flags, pc);
	dh_leave_runtime(t);
}

/* ---- fast paths for any mask ---- */

static enum dh_first first_access(struct dh_self *t, struct dh_cell *c, uintptr_t addr,
				  unsigned mask, unsigned level, bool write, uint64_t pc)
{
	dh_record rec = dh_record_make(t->now, mask, false, 0), found;
	if (!write && DH_UNLIKELY(t->alike) &&
	    dh_read_stands(t, c, addr & ~(uintptr_t)7, mask, level))
		return DH_FIRST_DONE;
	enum dh_first f =
	    write ? dh_first_write(t, c, &rec, &found, mask, level, DH_SITES_ALL, pc)
		  : dh_first_read(t, c, addr, &rec, &found, mask, level, false,
				  DH_SITES_ALL, pc);
	if (f != DH_FIRST_SHARED)
		return f;
	return write
		   ? dh_first_shared_write(t, c, addr & ~(uintptr_t)7, rec, found)
		   : dh_first_shared_read(t, c, addr & ~(uintptr_t)7, rec, found, level);
}

/* Where the cell of a level has one record of each kind at most, and the site, *site, has
 * been found for another one of the same granule: as first_access(), with few words. */
static enum dh_first part_simply(struct dh_self *t, struct dh_cell *c, unsigned mask,
				 unsigned level, bool write, uint32_t *site, uint64_t pc)
{
	const struct dh_seen s = {c, c, DH_LOAD(&c->read), DH_LOAD(&c->write)};
	if (write)
		return dh_simple_write(t, &s, mask, level, site, pc) ? DH_FIRST_DONE
								     : DH_FIRST_NOT;
	return t->alike ? DH_FIRST_NOT
			: dh_simple_read(t, &s, mask, level, site, pc);
}

/* In the cells of a granule that is split. */
static enum dh_first first_in_parts(struct dh_self *t, uintptr_t granule, unsigned mask,
				    dh_record split, bool write, uint64_t pc)
{
	const unsigned level = level_of(split), unit = 1u << dh_level_shift(level);
	const unsigned bits = (1u << unit) - 1;
	struct dh_cell *c = dh_split_parts(split);
	uintptr_t addr = granule;
	uint32_t site = 0;
	for (unsigned rest = mask; rest; rest >>= unit, addr += unit, c++) {
		if (!(rest & bits) || dh_cell_repeats(c, t->now, 0, write))
			continue;
		enum dh_first f = part_simply(t, c, mask, level, write, &site, pc);
		if (f == DH_FIRST_NOT)
			f = first_access(t, c, addr, mask, level, write, pc);
		if (DH_UNLIKELY(f != DH_FIRST_DONE))
			return f == DH_FIRST_MET ? f : DH_FIRST_NOT;
	}
	return dh_still_split(granule, level) ? DH_FIRST_DONE : DH_FIRST_MET;
}

/* Bytes that are written together may have been told apart long ago: now they need not
 * be. Of two halves there is nothing to be gained. */
static bool joins(struct dh_self *t, struct dh_cell *c, dh_record split, uint64_t pc)
{
	const enum dh_split_tag tag = dh_split_kind(split);
	const bool small = tag == DH_TAG_SPLIT_2 || tag == DH_TAG_SPLIT_1;
	uint32_t site = small ? dh_site_of(t, pc, DH_SITES_ALL) : 0;
	if (!site)
		return false;
	t->dirty = true;
	dh_enter_runtime(t);
	bool joined = dh_split_join(t, c, split,
				    dh_record_make(t->now, DH_WHOLE, false, site));
	dh_leave_runtime(t);
	return joined;
}

/* After one of the thread's own of other bytes. */
static bool over(struct dh_cell *c, uintptr_t granule, unsigned mask, bool write, uint64_t pc)
{
	const struct dh_seen s = {c, c, DH_LOAD(&c->read), DH_LOAD(&c->write)};
	uint32_t site = 0;
	return mask != DH_WHOLE && (write ? dh_write_over(granule, mask, false, &site, pc, &s)
					  : dh_read_over(granule, mask, false, &site, pc, &s));
}

enum dh_first dh_access_quick(struct dh_self *t, uintptr_t granule, unsigned mask,
			      bool write, uint64_t pc)
{
	struct dh_cell *c = dh_flat_cell(granule);
	if (DH_UNLIKELY(!c))
		return DH_FIRST_NOT;
	const dh_record last = DH_LOAD(&c->write);
	const enum dh_split_tag tag = dh_tag_of(last);
	if (write && mask == DH_WHOLE && joins(t, c, last, pc))
		return DH_FIRST_DONE;
	if (tag && tag <= DH_TAG_SPLIT_1 && dh_split_level(mask) <= dh_tag_level(tag))
		return first_in_parts(t, granule, mask, last, write, pc);
	if (tag)
		return tag == DH_TAG_CONST && !write ? DH_FIRST_DONE : DH_FIRST_NOT;
	return dh_cell_repeats(c, t->now, mask, write) || over(c, granule, mask, write, pc)
		   ? DH_FIRST_DONE
		   : first_access(t, c, granule, mask, 0, write, pc);
}

DH_NOINLINE void dh_access_shared(struct dh_cell *c, uintptr_t granule, dh_record rec,
				  dh_record found, unsigned how, uint64_t pc)
{
	struct dh_self *t = dh_thread_base();
	unsigned level = how & DH_SHARED_LEVEL, flags = how >> DH_SHARED_FLAGS;
	enum dh_first f = flags & DH_ACCESS_WRITE
			      ? dh_first_shared_write(t, c, granule, rec, found)
			      : dh_first_shared_read(t, c, granule, rec, found, level);
	if (f == DH_FIRST_DONE && level && !dh_still_split(granule, level))
		f = DH_FIRST_MET;
	if (DH_UNLIKELY(f != DH_FIRST_DONE))
		dh_access_slow(granule, dh_record_mask(rec), flags | dh_first_flags(f),
			       pc);
}

DH_NOINLINE void dh_access_some(uintptr_t granule, unsigned mask, unsigned flags,
				uint64_t pc)
{
	struct dh_self *t = dh_thread_base();
	if (DH_UNLIKELY(!t->now))
		return;
	/* Another engine has no sites, without which nothing is done quickly. */
	enum dh_first f =
	    DH_UNLIKELY(dh_observer != NULL)
		? DH_FIRST_NOT
		: dh_access_quick(t, granule, mask, flags & DH_ACCESS_WRITE, pc);
	if (DH_UNLIKELY(f != DH_FIRST_DONE))
		dh_access_slow(granule, mask, flags | dh_first_flags(f), pc);
}
