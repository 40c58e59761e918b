/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of access.h.
 *
 * Invariants of a cell that is not split:
 *   (A) write is the last write to its bytes; records of one cell that are for
 *       different bytes make it split before the older would be lost;
 *   (B) read holds, of each thread that read since, its last read, but for reads that
 *       are ordered before a later read kept in their place or before the last write.
 * As in FastTrack, whoever would race with something that was dropped also races with
 * what took its place. One exception: an atomic write takes the place of everything
 * before it, although it may be unordered with other atomic accesses without a race, and
 * is no plain one itself. A plain access that would race only with an atomic access
 * which a later atomic write has covered is not found.
 *
 * A record is replaced by compare-and-swap on the very value that was judged; when that
 * fails the new value is judged again. Splitting: who splits puts the tag BUSY in place
 * of the write, sets up the finer cells, and then puts the final tag. Whoever stored a
 * record in a cell and finds the tag afterwards does the access again in the finer
 * cells; so a record cannot be lost between the levels.
 */
#include "runtime/access.h"
#include "runtime/race.h"
#include "runtime/sets.h"

struct access {
	struct dh_self *self;
	uintptr_t granule;
	unsigned mask;   /* bytes of the granule */
	uintptr_t unit;  /* address and level of the cell at hand */
	unsigned level;
	unsigned flags;
	dh_record rec;
	bool again;      /* its record is in the granule's cell, but it was not judged */
	uint32_t site;   /* 0: not asked for yet */
	uint64_t pc;
};

static bool ordered(const struct dh_self *t, dh_record r)
{
	return dh_record_clock(r) <= t->vc[dh_record_slot(r)];
}

static DH_COLD void race(const struct access *a, dh_record other, bool other_write)
{
	if (dh_record_atomic(other) && (a->flags & DH_ACCESS_ATOMIC))
		return;
	dh_race_found(a->self, a->granule, a->mask, a->rec, a->flags, other, other_write);
}

/* Judges a write found in a cell that shares bytes with the access. */
static void check_write(const struct access *a, dh_record write)
{
	if (DH_UNLIKELY(!ordered(a->self, write)))
		race(a, write, true);
}

/* The records of the reads of the cell at hand; some may be 0. */
static const dh_record *reads_of(const struct access *a, dh_record word, dh_record *place,
				 uint32_t *count)
{
	if (word != dh_record_tag(DH_TAG_READERS))
		return dh_sets_items(word, place, count);
	*count = DH_READERS;
	return dh_shadow_readers(a->unit, a->level, false);
}

static void check_reads(const struct access *a, dh_record word)
{
	dh_record place;
	uint32_t count;
	const dh_record *at = reads_of(a, word, &place, &count);
	for (uint32_t i = 0; i < count; i++) {
		dh_record r = __atomic_load_n(&at[i], __ATOMIC_RELAXED);
		if (DH_UNLIKELY(r && !ordered(a->self, r)))
			race(a, r, false);
	}
}

/* The bytes that the reads of a cell are for: all its records agree. */
static unsigned reads_mask(const struct access *a, dh_record word)
{
	dh_record place;
	uint32_t count;
	const dh_record *at = reads_of(a, word, &place, &count);
	for (uint32_t i = 0; i < count; i++) {
		dh_record r = __atomic_load_n(&at[i], __ATOMIC_RELAXED);
		if (r)
			return dh_record_mask(r);
	}
	return 0xff;
}

/* ---- one cell ---- */

enum outcome { DONE, SPLIT };

/* Was the record made in this time frame at this place in the program? */
static bool same_place(const struct access *a, dh_record r)
{
	return dh_record_same_epoch(r, a->self->epoch) &&
	       dh_record_site(r) == dh_record_site(a->rec);
}

/* Two pieces of one place in the program that make an aligned piece together: the loop
 * over an array of ints leaves one record per granule. False where they do not. */
static bool merge(const struct access *a, dh_record old, dh_record *merged)
{
	unsigned both = dh_record_mask(old) | a->mask;
	unsigned code = dh_code_first(both);
	*merged = dh_record_with_code(a->rec, code);
	return dh_code_mask(code) == both &&
	       dh_record_atomic(old) == dh_record_atomic(a->rec);
}

/* Are the bytes partly inside and partly outside of the access? */
static bool straddles(const struct access *a, unsigned mask)
{
	return (mask & a->mask) && (mask & ~a->mask);
}

/* The reads, once nobody is about to change their form. */
static dh_record settled_reads(const struct dh_cell *c)
{
	dh_record read;
	do
		read = __atomic_load_n(&c->read, __ATOMIC_SEQ_CST);
	while (DH_UNLIKELY(read == dh_record_tag(DH_TAG_BUSY)));
	return read;
}

/* Judges the reads after the write has become visible, and takes away those whose bytes
 * are all written. */
static void drop_reads(const struct access *a, struct dh_cell *c, bool whole)
{
	dh_record read;
	while (DH_UNLIKELY((read = settled_reads(c)) != 0)) {
		unsigned mask = whole ? a->mask : reads_mask(a, read);
		if (!(mask & a->mask))
			return;
		check_reads(a, read);
		if ((mask & ~a->mask) ||
		    __atomic_compare_exchange_n(&c->read, &read, 0, false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST))
			return;
	}
}

/* In level 0 a record may be for some of the cell's bytes only (whole is false); in
 * the finer levels every record is for all of them. */
static enum outcome write_cell(struct access *a, struct dh_cell *c, bool whole)
{
	dh_record read = settled_reads(c);
	if (!whole && read && straddles(a, reads_mask(a, read)))
		return SPLIT;
	dh_record old = __atomic_load_n(&c->write, __ATOMIC_RELAXED), new;
	do {
		if (dh_record_is_tag(old))
			return SPLIT;
		new = a->rec;
		if (!whole && old && (dh_record_mask(old) & ~a->mask) &&
		    !(same_place(a, old) && merge(a, old, &new)))
			return SPLIT;
	} while (!__atomic_compare_exchange_n(&c->write, &old, new, false, __ATOMIC_SEQ_CST,
					      __ATOMIC_RELAXED));
	if (old && (whole || (dh_record_mask(old) & a->mask)))
		check_write(a, old);
	drop_reads(a, c, whole);
	return DONE;
}

/* ---- several readers ----
 *
 * Two forms. A set (sets.h) is shared by all cells that have the same readers, which is
 * what arrays want: the step from one set to the next is in the memo of the thread, and
 * costs nothing new. Where every cell has readers of its own (a table under a reader-
 * writer lock: each look-up is a time frame), making sets would be slow and without end;
 * there a cell gets places of its own. Which it is, the memo tells: sets are made as
 * long as it answers many times for each that is made, and while they are not too many.
 */

static void remember(struct dh_set_memo *m, dh_record old, dh_record rec, dh_record made)
{
	m->old = 0; /* a signal handler may look in between: see dh_first_read() */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	m->rec = rec;
	m->made = made;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	m->old = old;
}

static bool sets_pay(struct dh_thread_state *s)
{
	enum { GRACE = 64, PROBE = 64, WINDOW = 4096, WORTH = 16 };
	uint32_t makes = ++s->set_makes;
	if (makes >= WINDOW) {
		s->set_makes /= 2;
		s->set_hits /= 2;
	}
	bool shared = makes <= s->set_hits / WORTH + GRACE || makes % PROBE == 0;
	return shared && dh_sets_roomy();
}

/* The set of the cell's reads and this one; 0 where the cell should have places of its
 * own instead. */
static dh_record add_to_set(struct access *a, dh_record old)
{
	struct dh_thread_state *s = a->self->state;
	struct dh_set_memo *m = dh_set_memo_of(a->self, old, a->rec);
	if (m->old == old && m->rec == a->rec) {
		s->set_hits++;
		return m->made;
	}
	dh_record made = dh_sets_find(old, a->rec);
	if (made)
		s->set_hits++;
	else if (sets_pay(s))
		made = dh_sets_add(old, a->rec);
	if (made && !s->handler_count)
		remember(m, old, a->rec, made);
	return made;
}

/* Gives the cell its own places, with the reads it has. False where it cannot be done:
 * no memory, too many, or the reads have changed. */
static bool open_places(struct access *a, struct dh_cell *c, dh_record old)
{
	dh_record place, *to = dh_shadow_readers(a->unit, a->level, true);
	uint32_t count;
	const dh_record *at = dh_sets_items(old, &place, &count);
	if (!to || count >= DH_READERS ||
	    !__atomic_compare_exchange_n(&c->read, &old, dh_record_tag(DH_TAG_BUSY), false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	for (uint32_t i = 0; i < DH_READERS; i++)
		__atomic_store_n(&to[i], i < count ? at[i] : 0, __ATOMIC_RELAXED);
	__atomic_store_n(&c->read, dh_record_tag(DH_TAG_READERS), __ATOMIC_RELEASE);
	return true;
}

/* A place for the record among the cell's own: the thread's former one, an empty one, or
 * one whose read is ordered before this one. -1 where there is none. */
static int find_place(const struct access *a, const dh_record *at)
{
	int found = -1;
	for (int i = 0; i < DH_READERS; i++) {
		dh_record r = __atomic_load_n(&at[i], __ATOMIC_RELAXED);
		bool stands_for = dh_record_atomic(r) >= dh_record_atomic(a->rec);
		if (r && stands_for && dh_record_slot(r) == dh_record_slot(a->rec))
			return i;
		if (found < 0 && (!r || (stands_for && ordered(a->self, r))))
			found = i;
	}
	return found;
}

/* The reads of a cell as a word that stands for itself, to be put elsewhere. */
static dh_record portable(dh_record word, uintptr_t unit, unsigned level)
{
	if (word != dh_record_tag(DH_TAG_READERS))
		return word;
	const dh_record *at = dh_shadow_readers(unit, level, false);
	dh_record all[DH_READERS];
	uint32_t n = 0;
	for (int i = 0; i < DH_READERS; i++)
		if ((all[n] = __atomic_load_n(&at[i], __ATOMIC_RELAXED)))
			n++;
	return dh_sets_make(all, n);
}

/* All places taken: the reads become a set after all. */
static void close_places(struct access *a, struct dh_cell *c)
{
	dh_record old = dh_record_tag(DH_TAG_READERS), made = portable(old, a->unit, a->level);
	__atomic_compare_exchange_n(&c->read, &old, made, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_RELAXED);
}

/* Puts the record among the cell's own; false where the cell has changed its form. */
static bool add_to_places(struct access *a, struct dh_cell *c)
{
	dh_record *at = dh_shadow_readers(a->unit, a->level, false);
	for (;;) {
		int i = find_place(a, at);
		if (i < 0) {
			close_places(a, c);
			return false;
		}
		dh_record old = __atomic_load_n(&at[i], __ATOMIC_RELAXED);
		bool mine = !old || dh_record_slot(old) == dh_record_slot(a->rec) ||
			    ordered(a->self, old);
		if (mine && __atomic_compare_exchange_n(&at[i], &old, a->rec, false,
							__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			break;
	}
	return __atomic_load_n(&c->read, __ATOMIC_RELAXED) == dh_record_tag(DH_TAG_READERS);
}

/* One record in place of one that it makes superfluous; 0 where there is none. */
static dh_record in_place_of(struct access *a, dh_record old, unsigned mask, bool whole)
{
	dh_record merged;
	if (!old)
		return a->rec;
	if (dh_record_is_tag(old) || dh_record_atomic(old) != dh_record_atomic(a->rec))
		return 0;
	if (ordered(a->self, old) && !(mask & ~a->mask))
		return a->rec;
	return !whole && same_place(a, old) && merge(a, old, &merged) ? merged : 0;
}

/* Makes the record visible among the reads. */
static enum outcome record_read(struct access *a, struct dh_cell *c, bool whole)
{
	for (;;) {
		dh_record old = settled_reads(c);
		unsigned mask = whole || !old ? a->mask : reads_mask(a, old);
		dh_record new = in_place_of(a, old, mask, whole);
		if (!new && mask != a->mask)
			return SPLIT;
		if (!new && old == dh_record_tag(DH_TAG_READERS)) {
			if (add_to_places(a, c))
				return DONE;
			continue;
		}
		if (!new)
			new = add_to_set(a, old);
		if (!new && open_places(a, c, old))
			continue;
		if (!new)
			new = dh_sets_add(old, a->rec);
		if (__atomic_compare_exchange_n(&c->read, &old, new, false, __ATOMIC_SEQ_CST,
						__ATOMIC_RELAXED))
			return DONE;
	}
}

static enum outcome read_cell(struct access *a, struct dh_cell *c, bool whole)
{
	if (record_read(a, c, whole) == SPLIT)
		return SPLIT;
	dh_record write = __atomic_load_n(&c->write, __ATOMIC_SEQ_CST);
	if (dh_record_is_tag(write))
		return SPLIT;
	if (write && (whole || (dh_record_mask(write) & a->mask)))
		check_write(a, write);
	return DONE;
}

/* The cell of `unit` in a level. */
static enum outcome access_cell(struct access *a, struct dh_cell *c, uintptr_t unit,
				unsigned level)
{
	bool whole = level > 0;
	a->unit = unit;
	a->level = level;
	return a->flags & DH_ACCESS_WRITE ? write_cell(a, c, whole) : read_cell(a, c, whole);
}

/* ---- splitting ---- */

static dh_record part(dh_record word, unsigned mask)
{
	dh_record place;
	uint32_t count;
	const dh_record *at = dh_sets_items(word, &place, &count);
	return count && (dh_record_mask(at[0]) & mask) ? word : 0;
}

/* Gives the cells of a level the records that the granule's cell has had. */
static void hand_down(uintptr_t granule, unsigned level, dh_record write, dh_record read)
{
	unsigned unit = 1u << dh_level_shift(level);
	struct dh_cell *fine = dh_shadow_find(granule, level, true);
	for (unsigned at = 0; at < DH_GRANULE; at += unit, fine++) {
		unsigned mask = ((1u << unit) - 1) << at;
		__atomic_store_n(&fine->write, part(write, mask), __ATOMIC_RELAXED);
		__atomic_store_n(&fine->read, part(read, mask), __ATOMIC_RELAXED);
	}
}

/* From halves to bytes. */
static void hand_down_halves(uintptr_t granule)
{
	struct dh_cell *half = dh_shadow_find(granule, 1, true);
	struct dh_cell *fine = dh_shadow_find(granule, 2, true);
	for (unsigned at = 0; at < DH_GRANULE; at++, fine++) {
		struct dh_cell *from = &half[at / 4];
		__atomic_store_n(&fine->write,
				 __atomic_load_n(&from->write, __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
		dh_record read = __atomic_load_n(&from->read, __ATOMIC_RELAXED);
		__atomic_store_n(&fine->read, portable(read, granule + at / 4 * 4, 1),
				 __ATOMIC_RELAXED);
	}
}

static unsigned least_piece(unsigned mask)
{
	unsigned size = mask ? (unsigned)__builtin_popcount(mask) : DH_GRANULE;
	return size;
}

/* The tag that lets the access and what the cell holds be told apart. */
static enum dh_split_tag tag_for(const struct access *a, dh_record write, dh_record read)
{
	unsigned w = write && !dh_record_is_tag(write) ? dh_record_mask(write) : 0xff;
	unsigned r = read ? reads_mask(a, read) : 0xff;
	bool fine = least_piece(a->mask) < 4 || least_piece(w) < 4 || least_piece(r) < 4;
	return fine ? DH_TAG_SPLIT_1 : DH_TAG_SPLIT_4;
}

static dh_record take_reads(struct dh_cell *c)
{
	dh_record read;
	do
		read = settled_reads(c);
	while (!__atomic_compare_exchange_n(&c->read, &read, 0, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE));
	return read;
}

/* Splits the granule so far that the access fits; returns the tag that it has then, or
 * 0 where there is no memory for the finer cells. */
static DH_COLD enum dh_split_tag split(const struct access *a, struct dh_cell *c)
{
	dh_record write = __atomic_load_n(&c->write, __ATOMIC_ACQUIRE);
	dh_record read = settled_reads(c);
	enum dh_split_tag want = tag_for(a, write, read);
	if (!dh_shadow_find(a->granule, dh_tag_level(want), true))
		return 0;
	for (;;) {
		if (dh_record_is_tag(write)) {
			enum dh_split_tag have = (enum dh_split_tag)dh_record_tag_value(write);
			if (have == DH_TAG_BUSY) {
				write = __atomic_load_n(&c->write, __ATOMIC_ACQUIRE);
				continue;
			}
			if (have >= want)
				return have;
		}
		if (__atomic_compare_exchange_n(&c->write, &write, dh_record_tag(DH_TAG_BUSY),
						false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			break;
	}
	read = portable(take_reads(c), a->granule, 0);
	want = DH_MAX(want, dh_record_is_tag(write) ? want : tag_for(a, write, read));
	if (!dh_shadow_find(a->granule, dh_tag_level(want), true))
		want = DH_TAG_SPLIT_4;
	if (dh_record_is_tag(write))
		hand_down_halves(a->granule);
	else
		hand_down(a->granule, dh_tag_level(want), write, read);
	__atomic_store_n(&c->write, dh_record_tag(want), __ATOMIC_RELEASE);
	return want;
}

static enum dh_split_tag settled(struct dh_cell *c)
{
	dh_record write;
	do
		write = __atomic_load_n(&c->write, __ATOMIC_ACQUIRE);
	while (dh_record_is_tag(write) && dh_record_tag_value(write) == DH_TAG_BUSY);
	return dh_record_is_tag(write) ? (enum dh_split_tag)dh_record_tag_value(write) : 0;
}

/* Is the access a repeat in each of the cells? Then there is nothing to do. */
static bool repeats_in(const struct access *a, const struct dh_cell *c)
{
	bool atomic = a->flags & DH_ACCESS_ATOMIC;
	dh_record w = __atomic_load_n(&c->write, __ATOMIC_RELAXED);
	if (dh_record_same_epoch(w, a->self->epoch) && dh_record_atomic(w) <= atomic)
		return true;
	dh_record r = __atomic_load_n(&c->read, __ATOMIC_RELAXED);
	return !(a->flags & DH_ACCESS_WRITE) && dh_record_same_epoch(r, a->self->epoch) &&
	       dh_record_atomic(r) <= atomic;
}

/* Of the first piece of these bytes of the access. */
static void make_record(struct access *a, unsigned mask)
{
	struct dh_self *t = a->self;
	if (!a->site)
		a->site = dh_thread_site(t, a->pc);
	bool atomic = a->flags & DH_ACCESS_ATOMIC;
	a->rec = dh_record_make(dh_record_key(t->epoch, dh_code_first(mask), atomic),
				a->site);
	t->dirty = true;
}

/* The bytes of the access may be several pieces here: each has its record. */
static void access_fine(struct access *a, struct dh_cell *c, enum dh_split_tag tag)
{
	do {
		if (tag == DH_TAG_SPLIT_4 && least_piece(a->mask) < 4)
			tag = split(a, c);
		unsigned unit = tag == DH_TAG_SPLIT_4 ? 4 : 1;
		dh_shadow_note_fine(&a->self->tlb, a->granule, dh_tag_level(tag));
		struct dh_cell *fine = dh_shadow_find(a->granule, dh_tag_level(tag), false);
		for (unsigned at = 0; fine && at < DH_GRANULE; at += unit, fine++) {
			unsigned mask = ((1u << unit) - 1) << at;
			if (!(a->mask & mask) || (!a->again && repeats_in(a, fine)))
				continue;
			if (!a->rec || !(dh_record_mask(a->rec) & mask))
				make_record(a, a->mask & (0xffu << at));
			access_cell(a, fine, a->granule + at, dh_tag_level(tag));
		}
		enum dh_split_tag now = settled(c);
		if (now == tag)
			return;
		tag = now;
		a->again = true;
	} while (tag);
}

/* ---- one granule ---- */

static bool covered(dh_record r, const struct access *a)
{
	return dh_record_same_epoch(r, a->self->epoch) &&
	       dh_record_atomic(r) <= (bool)(a->flags & DH_ACCESS_ATOMIC) &&
	       !(a->mask & ~dh_record_mask(r));
}

static bool set_covers(dh_record word, const struct access *a)
{
	dh_record place;
	uint32_t count;
	const dh_record *at = reads_of(a, word, &place, &count);
	for (uint32_t i = 0; i < count; i++)
		if (covered(__atomic_load_n(&at[i], __ATOMIC_RELAXED), a))
			return true;
	return false;
}

static bool is_repeat(const struct access *a, const struct dh_cell *c, dh_record write)
{
	if (covered(write, a))
		return true;
	if (a->flags & DH_ACCESS_WRITE)
		return false;
	dh_record read = settled_reads(c);
	return read && (dh_record_is_tag(read) ? set_covers(read, a) : covered(read, a));
}

static void access_granule(struct access *a)
{
	struct dh_cell *c = dh_shadow_cell(&a->self->tlb, a->granule);
	if (DH_UNLIKELY(!c))
		return;
	a->rec = 0;
	a->again = a->flags & DH_ACCESS_AGAIN;
	a->unit = a->granule;
	a->level = 0;
	dh_record write = __atomic_load_n(&c->write, __ATOMIC_RELAXED);
	enum dh_split_tag tag = 0;
	if (DH_UNLIKELY(dh_record_is_tag(write))) {
		tag = settled(c);
	} else {
		if (!a->again && is_repeat(a, c, write))
			return;
		make_record(a, a->mask);
		if (DH_LIKELY(access_cell(a, c, a->granule, 0) == DONE))
			return;
		tag = split(a, c);
		a->again = true;
	}
	if (tag)
		access_fine(a, c, tag);
}

static DH_NOINLINE void access_general(struct dh_self *t, uintptr_t addr, unsigned code,
				       unsigned flags, uint64_t pc)
{
	struct access a = {.self = t,
			   .granule = addr & ~(uintptr_t)7,
			   .mask = dh_code_mask(code),
			   .flags = flags,
			   .pc = pc};
	dh_enter_runtime(t);
	access_granule(&a);
	dh_leave_runtime(t);
}

DH_NOINLINE void dh_access_slow(uintptr_t addr, unsigned code, unsigned flags, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	if (DH_LIKELY(!t->ignore && t->vc && !t->inside))
		access_general(t, addr, code, flags, pc);
}

/* In aligned pieces, but where each byte has its own cell in one go. */
void dh_access_bytes(struct dh_self *t, uintptr_t granule, unsigned mask, unsigned flags,
		     uint64_t pc)
{
	struct access a = {.self = t, .granule = granule, .flags = flags, .pc = pc};
	while (mask) {
		const struct dh_cell *c = dh_shadow_cell(&t->tlb, granule);
		bool bytes = c && DH_LOAD(&c->write) == dh_record_tag(DH_TAG_SPLIT_1);
		a.mask = bytes ? mask : dh_code_mask(dh_code_first(mask));
		access_granule(&a);
		mask &= ~a.mask;
	}
}
