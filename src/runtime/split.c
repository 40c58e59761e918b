/* SPDX-License-Identifier: MIT */
/*
 * Splitting a granule whose bytes have to be told apart. Who splits puts the tag BUSY in
 * place of the write, sets up the finer cells, and then puts the final tag. Whoever
 * stored a record in a cell and finds the tag afterwards does the access again in the
 * finer cells; so a record cannot be lost between the levels.
 */
#include "runtime/attempt.h"
#include "runtime/sets.h"

/* Of the records of the word those that are for some of these bytes. */
static dh_record part(dh_record word, unsigned mask)
{
	enum { MOST = 64 };
	dh_record place, some[MOST];
	uint32_t count, n = 0;
	if (!dh_record_is_tag(word))
		return word && (dh_record_mask(word) & mask) ? word : 0;
	const dh_record *at = dh_sets_items(word, &place, &count);
	for (uint32_t i = 0; i < count && n < MOST; i++)
		if (dh_record_mask(at[i]) & mask)
			some[n++] = at[i] | dh_sets_site(word);
	return n == count || n == MOST ? word : dh_sets_make(some, n);
}

/* Gives the cells of a level the records that the granule's cell has had. */
static void hand_down(uintptr_t granule, unsigned level, dh_record write, dh_record read)
{
	unsigned unit = 1u << dh_level_shift(level);
	struct dh_cell *fine = dh_shadow_find(granule, level, true);
	for (unsigned at = 0; at < DH_GRANULE; at += unit, fine++) {
		unsigned mask = ((1u << unit) - 1) << at;
		dh_record last = part(write, mask);
		bool kept = last && dh_record_is_kept(read);
		DH_STORE(&fine->write, last);
		DH_STORE(&fine->read, kept ? read : part(read, mask));
	}
}

/* From the cells of one level to those of a finer one. */
static void hand_on(uintptr_t granule, unsigned level, unsigned finer)
{
	const struct dh_cell *from = dh_shadow_find(granule, level, true);
	struct dh_cell *to = dh_shadow_find(granule, finer, true);
	unsigned unit = 1u << dh_level_shift(level), step = 1u << dh_level_shift(finer);
	for (unsigned at = 0; at < DH_GRANULE; at += step, to++) {
		const struct dh_cell *whole = &from[at / unit];
		dh_record read = dh_reads_settled(whole);
		DH_STORE(&to->write, DH_LOAD(&whole->write));
		DH_STORE(&to->read,
			 dh_reads_portable(read, granule + at / unit * unit, level));
	}
}

/* The tag that lets the access and what the cell holds be told apart. Once the granule is
 * split, its cell holds nothing. */
static enum dh_split_tag tag_for(const struct dh_attempt *a, dh_record write,
				 dh_record read)
{
	unsigned level = dh_split_level(a->mask);
	if (!dh_tag_of(write)) {
		level = DH_MAX(level, dh_reads_level(a, read));
		level = DH_MAX(level, dh_reads_level(a, write));
	}
	return (enum dh_split_tag)level;
}

static dh_record take_reads(struct dh_cell *c)
{
	dh_record read;
	do
		read = dh_reads_settled(c);
	while (!__atomic_compare_exchange_n(&c->read, &read, 0, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE));
	return read;
}

enum dh_split_tag dh_split_settled(const struct dh_cell *c)
{
	for (uint64_t waited = 0;; dh_wait_briefly(&waited)) {
		dh_record write = __atomic_load_n(&c->write, __ATOMIC_ACQUIRE);
		if (DH_LIKELY(write != dh_tag(DH_TAG_BUSY)))
			return write == dh_tag(DH_TAG_CONST) ? 0 : dh_tag_of(write);
	}
}

/* Takes the right to split; *write gets what the cell had in its place. 0; or the tag
 * that the granule has already, where that will do. */
static enum dh_split_tag begin(struct dh_cell *c, enum dh_split_tag want,
			       dh_record *write)
{
	for (;;) {
		enum dh_split_tag have = dh_split_settled(c);
		*write = __atomic_load_n(&c->write, __ATOMIC_ACQUIRE);
		if (*write == dh_tag(DH_TAG_BUSY))
			continue;
		if (have >= want)
			return have;
		if (__atomic_compare_exchange_n(&c->write, write, dh_tag(DH_TAG_BUSY),
						false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return 0;
	}
}

DH_COLD enum dh_split_tag dh_split(const struct dh_attempt *a, struct dh_cell *c)
{
	dh_record write = __atomic_load_n(&c->write, __ATOMIC_ACQUIRE);
	enum dh_split_tag want = tag_for(a, write, dh_reads_settled(c)), have;
	if (!dh_shadow_find(a->granule, dh_tag_level(want), true))
		return 0;
	if ((have = begin(c, want, &write)))
		return have;
	dh_record read = dh_reads_portable(take_reads(c), a->granule, 0);
	enum dh_split_tag more = DH_MAX(want, tag_for(a, write, read));
	if (dh_shadow_find(a->granule, dh_tag_level(more), true))
		want = more;
	if ((have = dh_tag_of(write))) {
		hand_on(a->granule, dh_tag_level(have), dh_tag_level(want));
		if (!(a->flags & DH_ACCESS_WRITE))
			dh_reads_resplit(a);
	} else {
		hand_down(a->granule, dh_tag_level(want), write, read);
	}
	__atomic_store_n(&c->write, dh_tag(want), __ATOMIC_RELEASE);
	return want;
}

bool dh_split_ordered(struct dh_self *t, enum dh_split_tag tag, uintptr_t granule)
{
	if (!tag || tag > DH_TAG_SPLIT_1)
		return false;
	const struct dh_cell *part = dh_shadow_find(granule, dh_tag_level(tag), false);
	unsigned count = DH_GRANULE >> dh_level_shift(dh_tag_level(tag));
	for (unsigned i = 0; i < count; i++)
		if (!dh_all_ordered(t, DH_LOAD(&part[i].write)) ||
		    !dh_all_ordered(t, DH_LOAD(&part[i].read)))
			return false;
	return true;
}

/* As hand_down(), with one more write in the parts that it has. */
static void hand_down_under(struct dh_cell *fine, unsigned level, dh_record write,
			    dh_record read, dh_record rec)
{
	const unsigned unit = 1u << dh_level_shift(level), mask = dh_record_mask(rec);
	for (unsigned one = (1u << unit) - 1; one <= DH_WHOLE; one <<= unit, fine++) {
		const bool has = mask & one;
		DH_STORE(&fine->write, has ? rec : part(write, one));
		DH_STORE(&fine->read, has ? 0 : part(read, one));
	}
}

/* The level whose cells tell the records of a word, one or a set, apart. */
static unsigned level_of(dh_record word)
{
	dh_record place;
	uint32_t count;
	unsigned level = 1;
	const dh_record *at = dh_sets_items(word, &place, &count);
	for (uint32_t i = 0; i < count; i++)
		level = DH_MAX(level, dh_split_level(dh_record_mask(at[i])));
	return level;
}

bool dh_split_write(struct dh_self *t, struct dh_cell *c, uintptr_t granule,
		    dh_record write, dh_record rec)
{
	dh_record read = DH_LOAD(&c->read);
	if (dh_record_is_kept(read) || !dh_is_ordered(t->vc, write) ||
	    dh_tag_of(read) || !dh_all_ordered(t, read))
		return false;
	unsigned level = DH_MAX(level_of(rec), DH_MAX(level_of(write), level_of(read)));
	struct dh_cell *fine = dh_flat_cell(granule, level);
	if (!fine)
		return false;
	dh_enter_runtime(t);
	bool done = DH_SWAP(&c->write, write, dh_tag(DH_TAG_BUSY));
	if (done) {
		/* Who reads from now on finds the tag, and does it again. */
		done = read ? DH_SWAP(&c->read, read, 0) : !DH_LOAD(&c->read);
		if (done)
			hand_down_under(fine, level, write, read, rec);
		dh_record tag = dh_tag((enum dh_split_tag)level);
		__atomic_store_n(&c->write, done ? tag : write, __ATOMIC_RELEASE);
	}
	dh_leave_runtime(t);
	return done;
}

bool dh_split_join(struct dh_self *t, struct dh_cell *c, uintptr_t granule,
		   dh_record split, dh_record rec)
{
	enum dh_split_tag tag = dh_tag_of(split);
	if (!dh_split_ordered(t, tag, granule) ||
	    !DH_SWAP(&c->write, split, dh_tag(DH_TAG_BUSY)))
		return false;
	bool ordered = dh_split_ordered(t, tag, granule);
	if (ordered)
		DH_STORE(&c->read, 0);
	__atomic_store_n(&c->write, ordered ? rec : split, __ATOMIC_RELEASE);
	return ordered;
}

void dh_split_watch(const struct dh_attempt *a, struct dh_cell *c)
{
	struct dh_attempt byte = *a;
	dh_record split = dh_tag(DH_TAG_SPLIT_1);
	byte.mask = 1;
	byte.unit = a->granule;
	byte.level = 0;
	if (dh_split(&byte, c) == DH_TAG_SPLIT_1)
		__atomic_compare_exchange_n(&c->write, &split, dh_tag(DH_TAG_WATCHED),
					    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void dh_split_unwatch(struct dh_cell *c)
{
	dh_record watched = dh_tag(DH_TAG_WATCHED);
	__atomic_compare_exchange_n(&c->write, &watched, dh_tag(DH_TAG_SPLIT_1), false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
