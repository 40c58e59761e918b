/* SPDX-License-Identifier: MIT */
/*
 * Accesses to ranges: what memcpy, read, free, ... do. Granules at the ends that are
 * touched in part go the general way (access.c), as do whole ones that hold something
 * out of the ordinary. The others are done in one loop over their cells:
 *
 *   write   the cell is not split, and what it holds is ordered before the present:
 *           whatever its bytes, the record of the whole granule takes its place
 *   read    the same for the write; and the reads are none, or of the whole granule.
 *           Where they are of several threads the set with this one added takes their
 *           place, if there is such a set already
 *   end     judged as a write, but the cell is empty afterwards
 *
 * Neighbouring cells mostly hold the same words, so the last ones are remembered with
 * what came of them.
 */
#include "runtime/access.h"
#include "runtime/sets.h"

enum { STRIDE = 1 << 16 }; /* bytes between two looks for signals */

struct sweep {
	struct dh_self *self;
	unsigned flags;
	uint64_t pc;
	uint64_t key;
	dh_record rec;      /* 0: the site has not been asked for yet */
	dh_record write;    /* last found ordered, */
	dh_record reads;    /* and reads */
	dh_record joined;   /* reads that rec was last added to, */
	dh_record together; /* and what they are with it */
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

static DH_COLD void make_record(struct sweep *s)
{
	s->rec = s->key | dh_thread_site(s->self, s->pc);
	s->self->dirty = true;
}

/* The general way, for the granule. */
static DH_NOINLINE void by_itself(const struct sweep *s, uintptr_t addr, unsigned more)
{
	dh_access_bytes(s->self, addr, 0xff, s->flags | more, s->pc);
}

static void write_cells(struct sweep *s, struct dh_cell *c, uintptr_t addr, uintptr_t end)
{
	for (; addr < end; addr += DH_GRANULE, c++) {
		dh_record write = DH_LOAD(&c->write), read = DH_LOAD(&c->read);
		if (dh_record_repeats(write, s->key))
			continue;
		if (DH_UNLIKELY(!s->rec))
			make_record(s);
		if (DH_UNLIKELY(!write_ordered(s, write) || !reads_ordered(s, read) ||
				!DH_SWAP(&c->write, write, s->rec)))
			by_itself(s, addr, 0);
		else if (DH_UNLIKELY(DH_LOAD(&c->read) != read))
			by_itself(s, addr, DH_ACCESS_AGAIN);
		else if (read)
			__atomic_store_n(&c->read, 0, __ATOMIC_RELAXED);
	}
}

static void read_cells(struct sweep *s, struct dh_cell *c, uintptr_t addr, uintptr_t end)
{
	for (; addr < end; addr += DH_GRANULE, c++) {
		dh_record write = DH_LOAD(&c->write), read = DH_LOAD(&c->read), new;
		if (dh_record_repeats(read, s->key) || dh_record_repeats(write, s->key))
			continue;
		if (DH_UNLIKELY(!s->rec))
			make_record(s);
		if (DH_UNLIKELY(!write_ordered(s, write) || !(new = reads_with(s, read)) ||
				!DH_SWAP(&c->read, read, new)))
			by_itself(s, addr, 0);
		else if (DH_UNLIKELY(DH_LOAD(&c->write) != write))
			by_itself(s, addr, DH_ACCESS_AGAIN);
	}
}

static void end_cells(struct sweep *s, struct dh_cell *c, uintptr_t addr, uintptr_t end)
{
	for (; addr < end; addr += DH_GRANULE, c++) {
		dh_record write = DH_LOAD(&c->write), read = DH_LOAD(&c->read);
		if (!(write | read))
			continue;
		if (DH_UNLIKELY(!write_ordered(s, write) || !reads_ordered(s, read)))
			by_itself(s, addr, 0);
		__atomic_store_n(&c->write, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&c->read, 0, __ATOMIC_RELAXED);
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
	return (struct sweep){.self = t,
			      .flags = flags,
			      .pc = pc,
			      .key = key_of(t, flags)};
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

DH_NOINLINE void dh_access_range(uintptr_t addr, size_t size, unsigned flags, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	if (DH_UNLIKELY(t->ignore || !t->vc || t->inside || !size))
		return;
	if (DH_UNLIKELY(flags & DH_ACCESS_ATOMIC)) {
		atomic_range(t, addr, addr + size, flags, pc);
		return;
	}
	struct sweep s = begin(t, flags, pc);
	uintptr_t end = addr + size, first = (addr + 7) & ~(uintptr_t)7;
	uintptr_t last = end & ~(uintptr_t)7;
	dh_enter_runtime(t);
	if (first > last) {
		unsigned mask = (1u << size) - 1;
		dh_access_bytes(t, last, mask << (addr & 7), flags, pc);
	} else {
		if (addr < first)
			dh_access_bytes(t, first - 8, 0xffu << (addr & 7) & 0xff, flags, pc);
		sweep(&s, flags & DH_ACCESS_WRITE ? write_cells : read_cells, first, last);
		if (last < end)
			dh_access_bytes(t, last, (1u << (end & 7)) - 1, flags, pc);
	}
	dh_leave_runtime(t);
}

void dh_access_end(struct dh_self *t, uintptr_t addr, size_t size, uint32_t site, uint64_t pc)
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
	sweep(&s, write_cells, addr, mark);
	if (mark < end)
		sweep(&s, end_cells, mark, end);
}
