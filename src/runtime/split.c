/* SPDX-License-Identifier: MIT */
/*
 * Splitting a granule whose bytes have to be told apart. Who splits puts the tag BUSY in
 * place of the write, sets up the finer cells, and then puts the final tag. Whoever
 * stored a record in a cell and finds the tag afterwards does the access again in the
 * finer cells; so a record cannot be lost between the levels.
 */
#include "runtime/attempt.h"
#include "runtime/elders.h"
#include "runtime/parts.h"
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

/* The cells of a level of the granule, made if there are none; or NULL. */
static struct dh_cell *parts(const struct dh_self *t, uintptr_t granule, unsigned level)
{
	return dh_parts_find(granule, level, dh_record_slot(t->epoch));
}

/* Gives the cells of a level the records that the granule's cell has had. */
static void hand_down(struct dh_cell *fine, unsigned level, dh_record write, dh_record read)
{
	unsigned unit = 1u << dh_level_shift(level);
	for (unsigned at = 0; at < DH_GRANULE; at += unit, fine++) {
		unsigned mask = ((1u << unit) - 1) << at;
		dh_record last = part(write, mask);
		bool kept = last && dh_record_is_kept(read);
		DH_STORE(&fine->write, last);
		DH_STORE(&fine->read, kept ? read : part(read, mask));
	}
}

/* From the cells of a granule that was split so to those of a finer level. */
static void hand_on(uintptr_t granule, dh_record split, struct dh_cell *to, unsigned finer)
{
	const struct dh_cell *from = dh_split_parts(split);
	const unsigned level = dh_tag_level(dh_split_kind(split));
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

dh_record dh_split_settled(const struct dh_cell *c)
{
	for (uint64_t waited = 0;; dh_wait_briefly(&waited)) {
		dh_record write = __atomic_load_n(&c->write, __ATOMIC_ACQUIRE);
		if (DH_LIKELY(write != dh_tag(DH_TAG_BUSY)))
			return dh_split_kind(write) ? write : 0;
	}
}

/* Takes the right to split; *write gets what the cell had in its place. 0; or how the
 * granule is split already, where that will do. */
static dh_record begin(struct dh_cell *c, enum dh_split_tag want, dh_record *write)
{
	for (;;) {
		dh_record have = dh_split_settled(c);
		*write = __atomic_load_n(&c->write, __ATOMIC_ACQUIRE);
		if (*write == dh_tag(DH_TAG_BUSY))
			continue;
		if (dh_split_kind(have) >= want)
			return have;
		if (__atomic_compare_exchange_n(&c->write, write, dh_tag(DH_TAG_BUSY),
						false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return 0;
	}
}

/* And gives it up: this stands for the write now. */
static dh_record end(struct dh_cell *c, dh_record write)
{
	__atomic_store_n(&c->write, write, __ATOMIC_RELEASE);
	return write;
}

DH_COLD dh_record dh_split(const struct dh_attempt *a, struct dh_cell *c)
{
	dh_record write = __atomic_load_n(&c->write, __ATOMIC_ACQUIRE), have;
	enum dh_split_tag want = tag_for(a, write, dh_reads_settled(c));
	if ((have = begin(c, want, &write)))
		return have;
	struct dh_cell *fine = parts(a->self, a->granule, dh_tag_level(want)), *finer;
	if (!fine) {
		end(c, write);
		return 0;
	}
	write = dh_elders_word(a->granule, write, true);
	dh_record read = dh_reads_portable(take_reads(c), a->granule, 0);
	enum dh_split_tag more = tag_for(a, write, read);
	if (more > want && (finer = parts(a->self, a->granule, dh_tag_level(more)))) {
		want = more;
		fine = finer;
	}
	if (dh_split_kind(write)) {
		hand_on(a->granule, write, fine, dh_tag_level(want));
		if (!(a->flags & DH_ACCESS_WRITE))
			dh_reads_resplit(a);
	} else {
		hand_down(fine, dh_tag_level(want), write, read);
	}
	return end(c, dh_split_word(want, fine));
}

bool dh_split_ordered(struct dh_self *t, dh_record split)
{
	const enum dh_split_tag tag = dh_split_kind(split);
	if (!tag || tag > DH_TAG_SPLIT_1)
		return false;
	const struct dh_cell *part = dh_split_parts(split);
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
	    dh_record_has_elders(read) || dh_tag_of(read) || !dh_all_ordered(t, read))
		return false;
	unsigned level = DH_MAX(level_of(rec), DH_MAX(level_of(write), level_of(read)));
	dh_enter_runtime(t);
	bool done = DH_SWAP(&c->write, write, dh_tag(DH_TAG_BUSY));
	if (done) {
		struct dh_cell *fine = parts(t, granule, level);
		/* Who reads from now on finds the tag, and does it again. */
		done = fine && (read ? DH_SWAP(&c->read, read, 0) : !DH_LOAD(&c->read));
		if (done)
			hand_down_under(fine, level, write, read, rec);
		end(c, done ? dh_split_word((enum dh_split_tag)level, fine) : write);
	}
	dh_leave_runtime(t);
	return done;
}

bool dh_split_join(struct dh_self *t, struct dh_cell *c, dh_record split, dh_record rec)
{
	if (!dh_split_ordered(t, split) || !DH_SWAP(&c->write, split, dh_tag(DH_TAG_BUSY)))
		return false;
	bool ordered = dh_split_ordered(t, split);
	if (ordered)
		DH_STORE(&c->read, 0);
	end(c, ordered ? rec : split);
	return ordered;
}

/* The other of two kinds, with the same cells. */
static void turn(struct dh_cell *c, enum dh_split_tag from, enum dh_split_tag to)
{
	dh_record split = DH_LOAD(&c->write);
	if (dh_split_kind(split) == from)
		DH_SWAP(&c->write, split, dh_split_word(to, dh_split_parts(split)));
}

void dh_split_watch(const struct dh_attempt *a, struct dh_cell *c)
{
	struct dh_attempt byte = *a;
	byte.mask = 1;
	byte.unit = a->granule;
	byte.level = 0;
	dh_split(&byte, c);
	turn(c, DH_TAG_SPLIT_1, DH_TAG_WATCHED);
}

void dh_split_unwatch(struct dh_cell *c)
{
	turn(c, DH_TAG_WATCHED, DH_TAG_SPLIT_1);
}
