/* SPDX-License-Identifier: MIT */
/*
 * Accesses to ranges: what memcpy, read, free, ... do. Short ones, and the ends of long
 * ones that are parts of a granule, are done granule by granule. The whole granules of
 * long ones are done in one loop over their cells, but for those that hold something out
 * of the ordinary, which go by themselves (access.c):
 *
 *   write   the cell is not split, and what it holds is ordered before the present:
 *           whatever its bytes, the record of the whole granule takes its place
 *   read    the same for the write; and the reads are none, or of the whole granule.
 *           Where they are of several threads the set with this one added takes their
 *           place, if there is such a set already
 *   mark    the end of memory: as a write
 *   end     judged as a write, but the cell is empty afterwards
 *
 * Neighbouring cells mostly hold the same words, so the last ones are remembered with
 * what came of them, and cells are looked at by eights (cells.h), and changed so where
 * what becomes of them is known.
 */
#include "runtime/attempt.h"
#include "runtime/cells.h"
#include "runtime/known_sets.h"
#include "runtime/observer.h"
#include "runtime/sets.h"
#include "runtime/some.h"

enum { STRIDE = 1 << 16 }; /* bytes between two looks for signals */

/* Bytes that are not worth a sweep. */
#ifndef DH_SHORT_RANGE
#define DH_SHORT_RANGE 96
#endif

struct sweep {
	struct dh_self *self;
	unsigned flags;
	uint64_t pc;
	uint64_t now;	    /* time frame */
	dh_record rec;	    /* 0: the site has not been asked for yet */
	dh_record write;    /* last found ordered, */
	dh_record reads;    /* and a set of reads */
	dh_record joined;   /* reads that rec was last added to, */
	dh_record together; /* and what they are with it */
	struct dh_cell was; /* what a cell held that was changed by plain stores, */
	struct dh_cell is;  /* and what it holds since; */
	bool renews;	    /* if there was one, all of which was the thread's own, */
	bool changes;	    /* or not */
};

/* None, or one that is ordered before the present. */
static bool write_ordered(struct sweep *s, dh_record word)
{
	if (DH_LIKELY(word == s->write || !word))
		return true;
	if (!dh_is_ordered(s->self->vc, word))
		return false;
	s->write = word;
	return true;
}

static DH_NOINLINE bool set_ordered(struct sweep *s, dh_record word)
{
	if (!dh_sets_is_set(word))
		return false;
	const struct dh_set *set = dh_sets_get(word);
	for (uint32_t i = 0; i < set->count; i++)
		if (!dh_is_ordered(s->self->vc, set->at[i]))
			return false;
	s->reads = word;
	return true;
}

/* None, or all ordered before the present. */
DH_INLINE bool reads_ordered(struct sweep *s, dh_record word)
{
	return dh_is_ordered(s->self->vc, word) || word == s->reads ||
	       set_ordered(s, word);
}

/* Is it a plain access to all bytes of the granule? */
static bool is_whole(dh_record r)
{
	return !(r & (DH_ABSENT_FIELD | DH_ATOMIC_FLAG));
}

/* What this read makes of reads that are not ordered before it, or of a set; 0 where that
 * is not at hand. They may have it already. */
static DH_NOINLINE dh_record joined_with(const struct sweep *s, dh_record word)
{
	struct dh_self *t = s->self;
	if (dh_set_known(t, word, DH_WHOLE))
		return word;
	dh_record together = dh_joined_readers(t, word, s->rec);
	if (!together)
		together = dh_sets_find(word, s->rec, t->vc);
	if (together && !t->state->handler_count)
		dh_note_known(t, together, DH_WHOLE);
	return together;
}

/* The reads with this one added; 0 where that is not at hand. */
static dh_record reads_with(struct sweep *s, dh_record word)
{
	if (DH_LIKELY(!word))
		return s->rec;
	if (word == s->joined)
		return s->together;
	if (dh_record_is_tag(word) && !dh_sets_is_set(word))
		return 0;
	dh_record place;
	uint32_t count;
	if (!is_whole(*dh_sets_items(word, &place, &count)))
		return 0;
	bool alone = dh_is_ordered(s->self->vc, word);
	dh_record together = alone ? s->rec : joined_with(s, word);
	if (together) {
		s->joined = word;
		s->together = together;
	}
	return together;
}

static void make_record(struct sweep *s)
{
	uint32_t site = dh_site_at_hand(s->self, s->pc);
	s->rec = s->now | (DH_LIKELY(site != 0) ? site : dh_thread_site(s->self, s->pc));
	s->self->dirty = true;
}

/* The granule by itself. */
static DH_NOINLINE void by_itself(const struct sweep *s, uintptr_t addr, unsigned more)
{
	bool write = s->flags & DH_ACCESS_WRITE;
	enum dh_first f = DH_FIRST_NOT;
	if (!more && !(s->flags & DH_ACCESS_FREE))
		f = dh_access_quick(s->self, addr, DH_WHOLE, write, s->pc);
	if (f != DH_FIRST_DONE)
		dh_access_bytes(s->self, addr, DH_WHOLE,
				s->flags | more | dh_first_flags(f), s->pc);
}

/* Plain stores, here and in the next cells that hold the same. */
static void renew(struct sweep *s, struct dh_cell *c, struct dh_cell was,
		  struct dh_cell is)
{
	DH_STORE(&c->write, is.write);
	DH_STORE(&c->read, is.read);
	s->was = was;
	s->is = is;
	s->renews = true;
	s->changes = false;
}

/* A cell was changed by a locked instruction, or not at all. After many such in a time
 * frame the next ones that hold the same do without (recalled.h). */
static void note_change(struct sweep *s, struct dh_cell was, struct dh_cell is)
{
	const bool repeats = was.write == is.write && was.read == is.read;
	if (!repeats && !dh_recalls(s->self)) {
		s->self->firsts++;
		return;
	}
	s->was = was;
	s->is = is;
	s->renews = false;
	s->changes = true;
}

/* So many cells got these reads. Where they are a set, it was there already: that is what
 * sets are for (dh_sets_worth()). */
static void note_joined(const struct sweep *s, dh_record reads, size_t n)
{
	if (dh_sets_is_set(reads))
		s->self->state->read_sets.hits += (uint32_t)n;
}

/* The same of the cells from c on, in steps of eight, that hold the same. The word that
 * stays as it is is left alone, since somebody else may be about to change it, and all
 * are looked at again. Returns how many. */
static DH_NOINLINE size_t change_cells(struct sweep *s, struct dh_cell *c, uintptr_t addr,
				       size_t count)
{
	const dh_cell_bits was = dh_cell_bits_of(s->was.write, s->was.read);
	const struct dh_cell is = s->is;
	const bool writes = is.write != s->was.write;
	const dh_record read_then = writes ? s->was.read : is.read;
	size_t n = 0;
	if (!writes && is.read == s->was.read)
		return dh_cells_alike(c, count, &is);
	for (; n + DH_CELLS <= count; n += DH_CELLS, c += DH_CELLS) {
		if (dh_cell_same(dh_cells_differ(c, was), 0) != 3)
			break;
		if (!(s->was.write | s->was.read))
			dh_warm_expect(c);
		for (unsigned i = 0; i < DH_CELLS; i++)
			DH_STORE(writes ? &c[i].write : &c[i].read,
				 writes ? is.write : is.read);
		for (unsigned i = 0; i < DH_CELLS; i++) {
			if (DH_UNLIKELY(DH_LOAD(&c[i].write) != is.write ||
					DH_LOAD(&c[i].read) != read_then))
				by_itself(s, addr + (n + i) * DH_GRANULE,
					  DH_ACCESS_AGAIN);
			else if (read_then != is.read)
				DH_STORE(&c[i].read, 0);
		}
	}
	note_joined(s, is.read, n);
	return n;
}

/* The write is there, and nobody has come meanwhile. */
static void end_reads(struct sweep *s, struct dh_cell *c, dh_record write, dh_record read)
{
	if (read)
		DH_STORE(&c->read, 0);
	note_change(s, (struct dh_cell){write, read}, (struct dh_cell){s->rec, 0});
}

static void write_cell(struct sweep *s, struct dh_cell *c, uintptr_t addr)
{
	dh_record write = DH_LOAD(&c->write), read = DH_LOAD(&c->read);
	if (dh_record_covers(write, s->now, DH_WHOLE))
		return;
	if (DH_UNLIKELY(!s->rec))
		make_record(s);
	if (!(write | read))
		dh_warm_expect(c);
	if (DH_UNLIKELY(dh_record_is_tag(write)) &&
	    dh_split_join(s->self, c, write, s->rec))
		return;
	bool own =
	    dh_record_own(write, s->now) || (!(write | read) && dh_is_fresh(s->self, c));
	if (own && (!read || dh_record_own(read, s->now)))
		renew(s, c, (struct dh_cell){write, read},
		      (struct dh_cell){s->rec, read});
	else if (DH_UNLIKELY(!write_ordered(s, write) || !reads_ordered(s, read) ||
			     !DH_SWAP(&c->write, write, s->rec)))
		by_itself(s, addr, 0);
	else if (DH_UNLIKELY(DH_LOAD(&c->read) != read))
		by_itself(s, addr, DH_ACCESS_AGAIN);
	else
		end_reads(s, c, write, read);
}

/* The same of a read. */
static void end_read(struct sweep *s, dh_record write, dh_record read, dh_record new)
{
	note_joined(s, new, 1);
	note_change(s, (struct dh_cell){write, read}, (struct dh_cell){write, new});
}

static void read_cell(struct sweep *s, struct dh_cell *c, uintptr_t addr)
{
	dh_record write = DH_LOAD(&c->write), read = DH_LOAD(&c->read), new;
	if ((dh_record_stands(read, s->now, s->self->alike, DH_WHOLE) &&
	     write_ordered(s, write)) ||
	    dh_record_covers(write, s->now, DH_WHOLE) || write == dh_tag(DH_TAG_CONST))
		return;
	if (DH_UNLIKELY(!s->rec))
		make_record(s);
	if (!(write | read))
		dh_warm_expect(c);
	bool own = dh_record_own(read ? read : write, s->now);
	if (own && (!read || (is_whole(read) && write_ordered(s, write))))
		renew(s, c, (struct dh_cell){write, read},
		      (struct dh_cell){write, s->rec});
	else if (DH_UNLIKELY(!write_ordered(s, write) || !(new = reads_with(s, read)) ||
			     (read != new && !DH_SWAP(&c->read, read, new))))
		by_itself(s, addr, 0);
	else if (DH_UNLIKELY(DH_LOAD(&c->write) != write))
		by_itself(s, addr, DH_ACCESS_AGAIN);
	else
		end_read(s, write, read, new);
}

DH_INLINE void all_cells(struct sweep *s, struct dh_cell *c, uintptr_t addr,
			 uintptr_t end, bool write)
{
	while (addr < end) {
		size_t left = (end - addr) / DH_GRANULE;
		size_t n = dh_cells_repeat(c, left, s->now, !write);
		if (s->renews)
			n += dh_cells_renew(c + n, left - n, &s->was, &s->is, 0);
		else if (s->changes)
			n += change_cells(s, c + n, addr + n * DH_GRANULE, left - n);
		c += n;
		addr += n * DH_GRANULE;
		for (unsigned i = 0; i < DH_CELLS && addr < end;
		     i++, c++, addr += DH_GRANULE) {
			if (write)
				write_cell(s, c, addr);
			else
				read_cell(s, c, addr);
		}
	}
}

static void write_cells(struct sweep *s, struct dh_cell *c, uintptr_t addr, uintptr_t end)
{
	all_cells(s, c, addr, end, true);
}

static void read_cells(struct sweep *s, struct dh_cell *c, uintptr_t addr, uintptr_t end)
{
	all_cells(s, c, addr, end, false);
}

/* Of a cell that several have written, or read in places of their own. */
static DH_NOINLINE bool several_ordered(const struct sweep *s, uintptr_t addr,
					dh_record write, dh_record read)
{
	return dh_all_ordered(s->self, write) &&
	       (dh_all_ordered(s->self, read) || dh_places_ordered(s->self, addr, read));
}

/* The end of memory: is all that the cell holds ordered before it? */
DH_INLINE bool may_end(struct sweep *s, const struct dh_cell *c, uintptr_t addr)
{
	dh_record write = DH_LOAD(&c->write), read = DH_LOAD(&c->read);
	return !(write | read) || (write_ordered(s, write) && reads_ordered(s, read)) ||
	       dh_split_ordered(s->self, write) || several_ordered(s, addr, write, read);
}

DH_INLINE void put(struct dh_cell *c, dh_record write)
{
	DH_STORE(&c->read, 0);
	DH_STORE(&c->write, write);
}

/* Plain stores: who comes to a cell in between the look at it and the store, within the
 * few nanoseconds, goes unseen that once. Locked instructions were half of the cost of
 * allocating and freeing. */
static void mark_cells(struct sweep *s, struct dh_cell *c, uintptr_t addr, uintptr_t end)
{
	for (; addr < end; addr += DH_GRANULE, c++) {
		if (DH_LIKELY(may_end(s, c, addr)))
			put(c, s->rec);
		else
			by_itself(s, addr, 0);
	}
}

/* Are there eight more cells, of which the first has the same records, but for their
 * sites? */
DH_INLINE bool is_followed(const struct dh_cell *c, size_t left,
			   const struct dh_cell *was)
{
	return left > DH_CELLS && !dh_record_is_tag(was->write) &&
	       !dh_record_is_tag(was->read) &&
	       ((DH_LOAD(&c[1].write) ^ was->write) |
		(DH_LOAD(&c[1].read) ^ was->read)) <= DH_RECORD_SITE_MAX;
}

/* How many cells end at c, one or more, which has this: what holds for it holds for those
 * that follow with the same records. */
DH_INLINE size_t end_some(struct sweep *s, struct dh_cell *c, uintptr_t addr, size_t left,
			  struct dh_cell was)
{
	static const struct dh_cell none;
	const bool may = may_end(s, &was, addr);
	if (DH_UNLIKELY(!may))
		by_itself(s, addr, 0);
	put(c, 0);
	if (!may || !is_followed(c, left, &was))
		return 1;
	return 1 + dh_cells_renew(c + 1, left - 1, &was, &none, DH_RECORD_SITE_MAX);
}

/* Cells that are empty are not written to: they may have no memory yet. */
static void end_cells(struct sweep *s, struct dh_cell *c, uintptr_t addr, uintptr_t end)
{
	for (size_t n; addr < end; addr += n * DH_GRANULE, c += n) {
		const struct dh_cell was = {DH_LOAD(&c->write), DH_LOAD(&c->read)};
		const size_t left = (end - addr) / DH_GRANULE;
		if (was.write | was.read)
			n = end_some(s, c, addr, left, was);
		else if (is_followed(c, left, &was))
			n = 1 + dh_cells_alike(c + 1, left - 1, &was);
		else
			n = 1;
	}
}

typedef void cells_fn(struct sweep *s, struct dh_cell *c, uintptr_t addr, uintptr_t end);

/* A handler may begin a new time frame. */
static void look_for_signals(struct sweep *s)
{
	struct dh_self *t = s->self;
	dh_leave_runtime(t);
	dh_enter_runtime(t);
	if (DH_UNLIKELY(t->now != s->now)) {
		s->now = t->now;
		s->rec = 0;
		s->joined = 0;
		s->renews = false;
		s->changes = false;
	}
}

/* Whole granules. Cells that were never made are not made to see their end. */
static void sweep(struct sweep *s, cells_fn *cells, uintptr_t addr, uintptr_t end)
{
	while (addr < end) {
		uintptr_t stop = DH_MIN(end, (addr | (STRIDE - 1)) + 1);
		struct dh_cell *c = cells == end_cells ? dh_shadow_find(addr, false)
						       : dh_shadow_cell(addr);
		if (DH_LIKELY(c != NULL))
			cells(s, c, addr, stop);
		addr = stop;
		if (addr < end)
			look_for_signals(s);
	}
}

static struct sweep begin(struct dh_self *t, unsigned flags, uint64_t pc)
{
	return (struct sweep){.self = t, .flags = flags, .pc = pc, .now = t->now};
}

/* The rare kind, all of it the general way. */
static void atomic_range(struct dh_self *t, uintptr_t addr, uintptr_t end, unsigned flags,
			 uint64_t pc)
{
	dh_enter_runtime(t);
	while (addr < end) {
		uintptr_t granule = addr & ~(uintptr_t)7;
		uintptr_t stop = DH_MIN(end, granule + DH_GRANULE);
		unsigned mask = (1u << (stop - addr)) - 1;
		dh_access_bytes(t, granule, mask << (addr - granule), flags, pc);
		addr = stop;
	}
	dh_leave_runtime(t);
}

/* Each granule by itself. */
static void short_range(struct dh_self *t, uintptr_t addr, uintptr_t end, unsigned flags,
			uint64_t pc)
{
	uint32_t site = 0;
	while (addr < end) {
		uintptr_t stop = DH_MIN(end, (addr | 7) + 1);
		dh_some_access(t, addr, stop, flags | DH_ACCESS_PIECE, &site, pc);
		addr = stop;
	}
}

static DH_NOINLINE void long_range(struct dh_self *t, uintptr_t addr, uintptr_t end,
				   unsigned flags, uint64_t pc)
{
	uintptr_t first = (addr + 7) & ~(uintptr_t)7, last = end & ~(uintptr_t)7;
	if (addr < first)
		short_range(t, addr, first, flags, pc);
	dh_enter_runtime(t);
	struct sweep s = begin(t, flags, pc);
	sweep(&s, flags & DH_ACCESS_WRITE ? write_cells : read_cells, first, last);
	dh_leave_runtime(t);
	if (last < end)
		short_range(t, last, end, flags, pc);
}

DH_NOINLINE void dh_access_range(uintptr_t addr, size_t size, unsigned flags, uint64_t pc)
{
	struct dh_self *t = dh_thread_base();
	if (DH_UNLIKELY(!t->now || t->inside || !size))
		return;
	if (DH_UNLIKELY(dh_observer != NULL))
		dh_observe_access(addr, size, flags, pc);
	else if (DH_UNLIKELY(flags & DH_ACCESS_ATOMIC))
		atomic_range(t, addr, addr + size, flags, pc);
	else if (size <= DH_SHORT_RANGE)
		short_range(t, addr, addr + size, flags, pc);
	else
		long_range(t, addr, addr + size, flags, pc);
}

void dh_access_end(struct dh_self *t, uintptr_t addr, size_t size, uint32_t site,
		   uint64_t pc)
{
	uintptr_t mark = addr + DH_MIN((size + 7) & ~(size_t)7, (size_t)DH_END_MARKED);
	uintptr_t end = addr + ((size + 7) & ~(size_t)7);
	if (DH_UNLIKELY(dh_observer != NULL)) {
		dh_observe_free(t, addr, size, site, pc);
		return;
	}
	if (DH_UNLIKELY(!t->now || t->inside > 1 || !pc)) {
		if (mark < end)
			dh_shadow_clear(mark, end - mark);
		return;
	}
	struct sweep s = begin(t, DH_ACCESS_WRITE | DH_ACCESS_FREE, pc);
	s.rec = s.now | site;
	t->dirty = true;
	sweep(&s, mark_cells, addr, mark);
	if (mark < end)
		sweep(&s, end_cells, mark, end);
}
