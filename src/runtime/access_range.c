/* SPDX-License-Identifier: MIT */
/*
 * Accesses to ranges: what memcpy, read, free, ... do. Short ones, and the ends of long
 * ones that are parts of a granule, are done as the pieces that they consist of. The
 * whole granules of long ones are done in one loop over their cells, but for those that
 * hold something out of the ordinary, which go the general way (access.c):
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
 * what came of them, and cells are looked at by eights (cells.h).
 */
#include "runtime/access.h"
#include "runtime/cells.h"
#include "runtime/sets.h"

enum {
	STRIDE = 1 << 16, /* bytes between two looks for signals */
	SHORT = 64,	  /* bytes that are not worth a sweep */
};

struct sweep {
	struct dh_self *self;
	unsigned flags;
	uint64_t pc;
	uint64_t key;
	dh_record rec;	    /* 0: the site has not been asked for yet */
	dh_record write;    /* last found ordered, */
	dh_record reads;    /* and reads */
	dh_record joined;   /* reads that rec was last added to, */
	dh_record together; /* and what they are with it */
	struct dh_cell was; /* what a cell held that was renewed by plain stores, */
	struct dh_cell now; /* and what it holds since; */
	bool renews;	    /* if there was one */
};

static bool record_ordered(const struct sweep *s, dh_record r)
{
	return dh_record_clock(r) <= s->self->vc[dh_record_slot(r)];
}

/* None, or one that is ordered before the present. */
static bool write_ordered(struct sweep *s, dh_record word)
{
	if (DH_LIKELY(word == s->write || !word))
		return true;
	if (dh_record_is_tag(word) || !record_ordered(s, word))
		return false;
	s->write = word;
	return true;
}

/* None, or all ordered before the present. */
static bool reads_ordered(struct sweep *s, dh_record word)
{
	if (DH_LIKELY(word == s->reads || !word))
		return true;
	if (dh_record_is_tag(word) && !dh_sets_is_set(word))
		return false;
	dh_record place;
	uint32_t count;
	const dh_record *at = dh_sets_items(word, &place, &count);
	for (uint32_t i = 0; i < count; i++)
		if (!record_ordered(s, at[i]))
			return false;
	s->reads = word;
	return true;
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
	if (!dh_record_whole(*dh_sets_items(word, &place, &count)))
		return 0;
	bool alone = !dh_record_is_tag(word) && record_ordered(s, word) &&
		     dh_record_atomic(word) >= dh_record_atomic(s->rec);
	dh_record together = alone ? s->rec : dh_sets_find(word, s->rec);
	if (together) {
		s->joined = word;
		s->together = together;
	}
	return together;
}

static uint64_t key_of(const struct dh_self *t, unsigned flags)
{
	return dh_record_key(t->epoch, DH_CODE_8, flags & DH_ACCESS_ATOMIC);
}

static void make_record(struct sweep *s)
{
	uint32_t site = dh_site_at_hand(s->self, s->pc);
	s->rec = s->key | (DH_LIKELY(site != 0) ? site : dh_thread_site(s->self, s->pc));
	s->self->dirty = true;
}

/* Is the access to some bytes of a granule a repeat, in the cells that it is split into?
 */
static bool repeats_in_parts(const struct dh_self *t, uintptr_t granule, unsigned mask,
			     unsigned flags)
{
	const struct dh_tlb_entry *e = dh_tlb_at(&t->tlb, granule);
	if (!dh_tlb_has(e, granule))
		return false;
	dh_record tag = DH_LOAD(&dh_tlb_cell(e, granule, 0)->write);
	unsigned level = dh_is_split(tag, 1) ? 1 : dh_is_split(tag, 2) ? 2 : 0;
	if (!level || !e->cells[level])
		return false;
	const struct dh_cell *c = dh_tlb_cell(e, granule, level);
	unsigned unit = level == 1 ? 0xf : 1;
	for (; mask; mask >>= level == 1 ? 4 : 1, c++) {
		bool write = dh_repeats(DH_LOAD(&c->write), t->epoch, level);
		bool read = !(flags & DH_ACCESS_WRITE) &&
			    dh_repeats(DH_LOAD(&c->read), t->epoch, level);
		if ((mask & unit) && !write && !read)
			return false;
	}
	return true;
}

/* The general way, for the granule. */
static DH_NOINLINE void by_itself(const struct sweep *s, uintptr_t addr, unsigned more)
{
	if (more || !repeats_in_parts(s->self, addr, 0xff, s->flags))
		dh_access_bytes(s->self, addr, 0xff, s->flags | more, s->pc);
}

/* Does the record belong to this thread? Then a plain store will do in its place, as in
 * access.h. */
static bool is_own(const struct sweep *s, dh_record r)
{
	return (r ^ s->key) >> DH_SLOT_SHIFT == 0;
}

/* Plain stores, and for the next cells that hold the same. */
static void renew(struct sweep *s, struct dh_cell *c, struct dh_cell was,
		  struct dh_cell now)
{
	if (now.write != was.write)
		__atomic_store_n(&c->write, now.write, __ATOMIC_RELAXED);
	if (now.read != was.read)
		__atomic_store_n(&c->read, now.read, __ATOMIC_RELAXED);
	s->was = was;
	s->now = now;
	s->renews = true;
}

static void write_cell(struct sweep *s, struct dh_cell *c, uintptr_t addr)
{
	dh_record write = DH_LOAD(&c->write), read = DH_LOAD(&c->read);
	if (dh_record_repeats(write, s->key))
		return;
	if (DH_UNLIKELY(!s->rec))
		make_record(s);
	if (is_own(s, write) && (!read || is_own(s, read)))
		renew(s, c, (struct dh_cell){write, read},
		      (struct dh_cell){s->rec, read});
	else if (DH_UNLIKELY(!write_ordered(s, write) || !reads_ordered(s, read) ||
			     !DH_SWAP(&c->write, write, s->rec)))
		by_itself(s, addr, 0);
	else if (DH_UNLIKELY(DH_LOAD(&c->read) != read))
		by_itself(s, addr, DH_ACCESS_AGAIN);
	else if (read)
		__atomic_store_n(&c->read, 0, __ATOMIC_RELAXED);
}

static void read_cell(struct sweep *s, struct dh_cell *c, uintptr_t addr)
{
	dh_record write = DH_LOAD(&c->write), read = DH_LOAD(&c->read), new;
	if (dh_record_repeats(read, s->key) || dh_record_repeats(write, s->key))
		return;
	if (DH_UNLIKELY(!s->rec))
		make_record(s);
	if (read ? is_own(s, read) && dh_record_whole(read) && write_ordered(s, write)
		 : is_own(s, write))
		renew(s, c, (struct dh_cell){write, read},
		      (struct dh_cell){write, s->rec});
	else if (DH_UNLIKELY(!write_ordered(s, write) || !(new = reads_with(s, read)) ||
			     !DH_SWAP(&c->read, read, new)))
		by_itself(s, addr, 0);
	else if (DH_UNLIKELY(DH_LOAD(&c->write) != write))
		by_itself(s, addr, DH_ACCESS_AGAIN);
}

DH_INLINE void all_cells(struct sweep *s, struct dh_cell *c, uintptr_t addr,
			 uintptr_t end, bool write)
{
	while (addr < end) {
		size_t left = (end - addr) / DH_GRANULE;
		size_t n = dh_cells_repeat(c, left, s->key, !write);
		if (s->renews)
			n += dh_cells_renew(c + n, left - n, &s->was, &s->now);
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

/* The end of memory: is all that the cell holds ordered before it? */
DH_INLINE bool may_end(struct sweep *s, const struct dh_cell *c)
{
	dh_record write = DH_LOAD(&c->write), read = DH_LOAD(&c->read);
	return !(write | read) || (write_ordered(s, write) && reads_ordered(s, read));
}

DH_INLINE void put(struct dh_cell *c, dh_record write)
{
	__atomic_store_n(&c->write, write, __ATOMIC_RELAXED);
	__atomic_store_n(&c->read, 0, __ATOMIC_RELAXED);
}

/* Plain stores: who comes to a cell in between the look at it and the store, within the
 * few nanoseconds, goes unseen that once. Locked instructions were half of the cost of
 * allocating and freeing. */
static void mark_cells(struct sweep *s, struct dh_cell *c, uintptr_t addr, uintptr_t end)
{
	for (; addr < end; addr += DH_GRANULE, c++) {
		if (DH_LIKELY(may_end(s, c)))
			put(c, s->rec);
		else
			by_itself(s, addr, 0);
	}
}

static void end_cells(struct sweep *s, struct dh_cell *c, uintptr_t addr, uintptr_t end)
{
	for (; addr < end; addr += DH_GRANULE, c++) {
		if (!(DH_LOAD(&c->write) | DH_LOAD(&c->read)))
			continue;
		if (DH_UNLIKELY(!may_end(s, c)))
			by_itself(s, addr, 0);
		put(c, 0);
	}
}

typedef void cells_fn(struct sweep *s, struct dh_cell *c, uintptr_t addr, uintptr_t end);

/* A handler may begin a new time frame. */
static void look_for_signals(struct sweep *s)
{
	struct dh_self *t = s->self;
	dh_leave_runtime(t);
	dh_enter_runtime(t);
	uint64_t key = key_of(t, s->flags);
	if (DH_UNLIKELY(key != s->key)) {
		s->key = key;
		s->rec = 0;
		s->joined = 0;
		s->renews = false;
	}
}

/* Whole granules. Cells that were never made are not made to see their end. */
static void sweep(struct sweep *s, cells_fn *cells, uintptr_t addr, uintptr_t end)
{
	while (addr < end) {
		uintptr_t stop = DH_MIN(end, (addr | (STRIDE - 1)) + 1);
		struct dh_cell *c = cells == end_cells
					? dh_shadow_find(addr, 0, false)
					: dh_shadow_cell(&s->self->tlb, addr);
		if (DH_LIKELY(c != NULL))
			cells(s, c, addr, stop);
		addr = stop;
		if (addr < end)
			look_for_signals(s);
	}
}

static struct sweep begin(struct dh_self *t, unsigned flags, uint64_t pc)
{
	return (struct sweep){
	    .self = t, .flags = flags, .pc = pc, .key = key_of(t, flags)};
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

/* One aligned piece, the fast way. */
DH_INLINE void piece(uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	struct dh_cell *c;
	if (!dh_access_repeats(addr, size, write, &c))
		dh_access_first(addr, size, write, pc, c);
}

/* Bytes of a granule that is split into cells at hand, cell by cell. */
DH_INLINE void in_parts(struct dh_self *t, const struct dh_tlb_entry *e, uintptr_t from,
			uintptr_t to, unsigned level, bool write, uint64_t pc)
{
	const unsigned unit = 1u << dh_level_shift(level);
	struct dh_cell *c = dh_tlb_cell(e, from, level);
	for (; from < to; from += unit, c++) {
		unsigned code = dh_code_of(from, unit);
		uint64_t key = dh_record_key(t->epoch, code, false);
		dh_record w = DH_LOAD(&c->write);
		if (dh_repeats(w, key, level) ||
		    (!write && dh_repeats(DH_LOAD(&c->read), key, level)))
			continue;
		enum dh_first f = dh_first_access(t, c, w, key, level, write, pc);
		if (DH_UNLIKELY(f != DH_FIRST_DONE))
			dh_access_slow(from, code,
				       (write ? DH_ACCESS_WRITE : 0) | dh_first_flags(f),
				       pc);
	}
}

/* Has the thread accessed the whole granule in this time frame? */
DH_INLINE bool repeats_whole(const struct dh_self *t, const struct dh_cell *c,
			     dh_record last_write, bool write)
{
	uint64_t key = dh_record_key(t->epoch, DH_CODE_8, false);
	return dh_record_repeats(last_write, key) ||
	       (!write && dh_record_repeats(DH_LOAD(&c->read), key));
}

/* Bytes [from, to) of one granule. */
static void part(uintptr_t from, uintptr_t to, bool write, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	unsigned size = (unsigned)(to - from), mask = ((1u << size) - 1) << from % 8;
	const struct dh_tlb_entry *e = dh_tlb_at(&t->tlb, from);
	dh_record tag = 0;
	if (DH_LIKELY(dh_tlb_has(e, from))) {
		const struct dh_cell *c = dh_tlb_cell(e, from, 0);
		tag = DH_LOAD(&c->write);
		if (repeats_whole(t, c, tag, write))
			return;
	}
	if (dh_is_split(tag, 2) && e->cells[2]) {
		in_parts(t, e, from, to, 2, write, pc);
	} else if (dh_is_split(tag, 1) && e->cells[1] && from % 4 == 0 && size % 4 == 0) {
		in_parts(t, e, from, to, 1, write, pc);
	} else if (size == 8) {
		piece(from, 8, write, pc);
	} else if (size == 4 && from % 4 == 0) {
		piece(from, 4, write, pc);
	} else if (size == 1) {
		piece(from, 1, write, pc);
	} else {
		dh_enter_runtime(t);
		dh_access_bytes(t, from & ~(uintptr_t)7, mask,
				write ? DH_ACCESS_WRITE : 0, pc);
		dh_leave_runtime(t);
	}
}

static void short_range(uintptr_t addr, uintptr_t end, bool write, uint64_t pc)
{
	while (addr < end) {
		uintptr_t stop = DH_MIN(end, (addr | 7) + 1);
		part(addr, stop, write, pc);
		addr = stop;
	}
}

DH_NOINLINE void dh_access_range(uintptr_t addr, size_t size, unsigned flags, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	if (DH_UNLIKELY(t->ignore || !t->vc || t->inside || !size))
		return;
	if (DH_UNLIKELY(flags & DH_ACCESS_ATOMIC)) {
		atomic_range(t, addr, addr + size, flags, pc);
		return;
	}
	uintptr_t end = addr + size, first = (addr + 7) & ~(uintptr_t)7;
	uintptr_t last = end & ~(uintptr_t)7;
	bool write = flags & DH_ACCESS_WRITE;
	if (size <= SHORT) {
		short_range(addr, end, write, pc);
		return;
	}
	if (addr < first)
		part(addr, first, write, pc);
	dh_enter_runtime(t);
	struct sweep s = begin(t, flags, pc);
	sweep(&s, write ? write_cells : read_cells, first, last);
	dh_leave_runtime(t);
	if (last < end)
		part(last, end, write, pc);
}

void dh_access_end(struct dh_self *t, uintptr_t addr, size_t size, uint32_t site,
		   uint64_t pc)
{
	uintptr_t mark = addr + DH_MIN((size + 7) & ~(size_t)7, (size_t)DH_END_MARKED);
	uintptr_t end = addr + ((size + 7) & ~(size_t)7);
	if (DH_UNLIKELY(t->ignore || !t->vc || t->inside > 1 || !pc)) {
		if (mark < end)
			dh_shadow_clear(mark, end - mark);
		return;
	}
	struct sweep s = begin(t, DH_ACCESS_WRITE | DH_ACCESS_FREE, pc);
	s.rec = s.key | site;
	t->dirty = true;
	sweep(&s, mark_cells, addr, mark);
	if (mark < end)
		sweep(&s, end_cells, mark, end);
}
