/* SPDX-License-Identifier: MIT */
/*
 * Cells that several threads have read, or one at several places. Two forms (and a third
 * for reads of different bytes that come one after the other: elders.h). A set
 * (sets.h) is shared by all cells that have the same readers, which is what arrays want:
 * the step from one set to the next is in the memo of the thread, and costs nothing new.
 * Where every cell has readers of its own (a table under a reader-writer lock: each
 * look-up is a time frame), making sets would be slow and without end; there a cell gets
 * places of its own. Which it is, the memo tells: sets are made as long as it answers
 * many times for each that is made, and while they are not too many.
 *
 * Of the words beside a cell all but the last are such places. Where there are more
 * readers, the last has the address of an array, which grows with their number. Places
 * are the cell's for good, and so is the array; what they hold means something only while
 * the cell's tag says so. Who changes the form puts the tag BUSY meanwhile.
 */
#include "runtime/attempt.h"
#include "base/mem.h"
#include "runtime/blend.h"
#include "runtime/elders.h"
#include "runtime/sets.h"

enum { ARRAY_LEAST = 64 };

static uint64_t crowd_bytes; /* atomic */

/* ---- looking ---- */

dh_record *dh_place_in_crowd(struct dh_crowd *c, dh_record rec)
{
	enum { TRIES = 8 };
	const uint64_t same = ~(uint64_t)0 << DH_SLOT_SHIFT | DH_ATOMIC_FLAG;
	uint32_t first = dh_crowd_first(rec);
	for (uint32_t i = 0; i < TRIES; i++) {
		dh_record *place = &c->at[(first + i) & (c->room - 1)], r = DH_LOAD(place);
		if (!r || ((r ^ rec) & same) == 0)
			return place;
	}
	return NULL;
}

dh_record dh_reads_settled(const struct dh_cell *c)
{
	dh_record read;
	for (uint64_t waited = 0;; dh_wait_briefly(&waited)) {
		read = __atomic_load_n(&c->read, __ATOMIC_SEQ_CST);
		if (DH_LIKELY(read != dh_tag(DH_TAG_BUSY)))
			return read;
	}
}

static const dh_record *items_beside(uintptr_t unit, unsigned level, dh_record word,
				     dh_record room[DH_OWN_PLACES], uint32_t *count)
{
	const bool crowded = word == dh_tag(DH_TAG_CROWD);
	if (!crowded && !dh_is_readers(word))
		return dh_sets_items(word, room, count);
	dh_record *places = dh_shadow_readers(unit, level, false);
	if (crowded) {
		const struct dh_crowd *crowd = dh_crowd_of(places);
		*count = crowd->room;
		return crowd->at;
	}
	*count = 0;
	for (unsigned i = 0; i < DH_OWN_PLACES; i++)
		if (dh_in_use(word, i))
			room[(*count)++] = DH_LOAD(dh_place_at(places, i));
	return room;
}

const dh_record *dh_reads_items(const struct dh_attempt *a, dh_record word, bool write,
				dh_record room[DH_OWN_PLACES], uint32_t *count)
{
	if (DH_UNLIKELY(dh_record_has_elders(word))) {
		*count = dh_elders_items(a->granule, word, write, room);
		return room;
	}
	return items_beside(a->unit, a->level, word, room, count);
}

dh_record dh_reads_own(const struct dh_attempt *a, bool atomic)
{
	dh_record *places = dh_shadow_readers(a->unit, a->level, false);
	const dh_record *at = dh_place_in_crowd(
	    dh_crowd_of(places), a->self->epoch | (atomic ? DH_ATOMIC_FLAG : 0));
	return at ? DH_LOAD(at) : 0;
}

/* The crowd of a granule's cell, whose records are all for the same bytes; or NULL. */
static struct dh_crowd *whole_crowd(const struct dh_attempt *a, dh_record word)
{
	return !dh_attempt_fine(a) && word == dh_tag(DH_TAG_CROWD)
		   ? dh_crowd_of(dh_shadow_readers(a->unit, a->level, false))
		   : NULL;
}

unsigned dh_reads_mask(const struct dh_attempt *a, dh_record word)
{
	const struct dh_crowd *crowd = whole_crowd(a, word);
	dh_record room[DH_OWN_PLACES];
	uint32_t count;
	unsigned mask = 0;
	if (crowd)
		return crowd->mask;
	const dh_record *at = dh_reads_items(a, word, false, room, &count);
	for (uint32_t i = 0; i < count; i++) {
		dh_record r = DH_LOAD(&at[i]);
		mask |= r ? dh_record_mask(r) : 0;
	}
	return mask;
}

unsigned dh_reads_level_of(const struct dh_attempt *a, dh_record word)
{
	const struct dh_crowd *crowd = whole_crowd(a, word);
	dh_record room[DH_OWN_PLACES];
	uint32_t count;
	unsigned level = 1;
	if (crowd)
		return dh_split_level(crowd->mask);
	const dh_record *at = dh_reads_items(a, word, false, room, &count);
	for (uint32_t i = 0; i < count; i++) {
		dh_record r = DH_LOAD(&at[i]);
		if (r && !dh_record_is_kept(r))
			level = DH_MAX(level, dh_split_level(dh_record_mask(r)));
	}
	return level;
}

dh_record dh_reads_portable(dh_record word, uintptr_t unit, unsigned level)
{
	dh_record room[DH_OWN_PLACES];
	uint32_t count;
	if (!dh_tag_of(word))
		return dh_elders_word(unit, word, false);
	const dh_record *at = items_beside(unit, level, word, room, &count);
	return dh_sets_make(at, count);
}

/* ---- sets ---- */

struct dh_set_memo dh_no_memo[DH_SET_MEMO];

void dh_memo_note(struct dh_self *t, struct dh_set_memo **memo, struct dh_set_memo *m,
		  dh_record old, dh_record rec, dh_record made)
{
	if (t->state->handler_count)
		return;
	if (*memo == dh_no_memo) {
		*memo = dh_mem_alloc(DH_SET_MEMO * sizeof *m);
		m = *memo + (m - dh_no_memo);
	}
	m->old = 0; /* a signal handler may look in between: see dh_join_readers() */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	m->rec = rec;
	m->made = made;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	m->old = old;
}

bool dh_reads_alike(dh_record word, unsigned mask)
{
	dh_record place;
	uint32_t count;
	const dh_record *at = dh_sets_items(word, &place, &count);
	for (uint32_t i = 0; i < count; i++)
		if (dh_record_mask(at[i]) != mask)
			return false;
	return true;
}

enum { PROBE = 1024 };

static bool pays(struct dh_set_pay *p, enum dh_worth worth)
{
	return dh_sets_worth(p, worth) || ++p->tries % PROBE == 0;
}

bool dh_pays(struct dh_set_pay *p)
{
	return pays(p, DH_WORTH);
}

void dh_pay_for(struct dh_set_pay *p, uint32_t cost)
{
	enum { WINDOW = 4096 };
	p->makes += cost;
	if (p->makes >= WINDOW) {
		p->makes /= 2;
		p->hits /= 2;
	}
}

bool dh_sets_never_pay(struct dh_set_pay *p)
{
	if (dh_sets_worth(p, DH_WORTH) || (p->tries + 1) % PROBE == 0)
		return false;
	p->tries++;
	return true;
}

bool dh_sets_pay(struct dh_set_pay *p, enum dh_worth worth)
{
	return pays(p, worth) && dh_sets_roomy();
}

/* A large one counts for several: many threads that each make their share of large sets
 * would fill memory with them. */
void dh_sets_made(struct dh_set_pay *p, dh_record made, bool fresh)
{
	enum { SMALL = 8 };
	if (!fresh || !dh_sets_is_set(made))
		p->hits++;
	else
		dh_pay_for(p, 1 + dh_sets_get(made)->count / SMALL);
}

/* The set of the cell's reads and this one; 0 where that does not pay. */
static dh_record add_to_set(struct dh_attempt *a, dh_record old)
{
	enum { MANY = 16 };
	struct dh_thread_state *s = a->self->state;
	const dh_record site = dh_sets_common(old, a->rec), rec = a->rec ^ site;
	struct dh_set_memo *m = dh_set_memo_of(a->self, old ^ site, rec);
	const bool fine = dh_attempt_fine(a);
	bool fresh = false, same = dh_reads_alike(old, a->mask);
	/* What records for different bytes give in a finer cell is not for others. */
	bool noted = same || !fine;
	if (noted && m->old == (old ^ site) && m->rec == rec) {
		s->read_sets.hits++;
		return m->made | site;
	}
	if (!dh_sets_pay(&s->read_sets, same || fine ? DH_WORTH_READS : DH_WORTH) ||
	    (!same && dh_sets_is_set(old) && dh_sets_get(old)->count >= MANY))
		return 0;
	dh_record made = dh_sets_add(old, a->rec, a->self->vc, fine, &fresh);
	dh_sets_made(&s->read_sets, made, fresh);
	if (noted)
		dh_memo_note(a->self, &s->memo, m, old ^ site, rec, made ^ site);
	return made;
}

/* One record of this time frame in place of two, of a granule's cell; 0 where they
 * cannot be one. */
static dh_record joined(const struct dh_attempt *a, dh_record old)
{
	bool fresh;
	if (dh_record_joins(old, a->rec))
		return dh_record_joined(old, a->rec);
	return dh_blends(old, a->rec) ? dh_blend(a->self, old, a->rec, &fresh) : 0;
}

/* ---- places of its own ---- */

/* Takes the right to change the form of the reads. */
static bool begin(struct dh_cell *c, dh_record old)
{
	return __atomic_compare_exchange_n(&c->read, &old, dh_tag(DH_TAG_BUSY), false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void end(struct dh_cell *c, dh_record word)
{
	__atomic_store_n(&c->read, word, __ATOMIC_RELEASE);
}

/* Does the access make the older one superfluous? An atomic read does not stand for a
 * plain one. */
static bool stands_for(const struct dh_attempt *a, dh_record old)
{
	return dh_record_atomic(old) >= dh_record_atomic(a->rec) &&
	       (dh_attempt_after(a, old) || dh_record_own(old, a->rec)) &&
	       (dh_attempt_fine(a) || !dh_record_beyond(old, a->mask));
}

/* Writes those of the records that have to stay to `to`, which may be where they are,
 * with the site that they have in common; how many there are, or more than fit. */
static uint32_t kept(const struct dh_attempt *a, const dh_record *at, uint32_t count,
		     dh_record site, dh_record to[DH_OWN_PLACES])
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < count && n <= DH_OWN_PLACES; i++) {
		dh_record r = DH_LOAD(&at[i]);
		if (!r || stands_for(a, r))
			continue;
		if (n < DH_OWN_PLACES)
			to[n] = r | site;
		n++;
	}
	return n;
}

/* Leaves out those that another one of the same thread has made superfluous; how many are
 * left. What a thread reads at any offset can be so much that no place is free. */
static uint32_t without_older(dh_record *some, uint32_t count, unsigned level)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < count; i++) {
		bool older = false;
		for (uint32_t k = 0; k < n && !older; k++)
			older = dh_read_after(some[k], some[i], level);
		for (uint32_t k = i + 1; k < count && !older; k++)
			older = dh_read_after(some[k], some[i], level);
		if (!older)
			some[n++] = some[i];
	}
	return n;
}

/* Gives the cell its own places, with the reads it has that are still wanted; where none
 * is, the record is all that there is to keep. False where it cannot be done: no memory,
 * too many, or the reads have changed. */
static bool open_places(struct dh_attempt *a, struct dh_cell *c, dh_record old)
{
	dh_record some[DH_OWN_PLACES];
	dh_record *to = dh_shadow_readers(a->unit, a->level, true);
	uint32_t count;
	if (!to || !begin(c, old))
		return false;
	const dh_record *at = items_beside(a->unit, a->level, old, some, &count);
	count = kept(a, at, count, dh_sets_site(old), some);
	bool fits = count <= DH_OWN_PLACES &&
		    (count = without_older(some, count, a->level)) < DH_OWN_PLACES;
	dh_record word = count ? dh_readers_tag(0) : a->rec;
	for (uint32_t i = 0; fits && i < count; i++) {
		unsigned k = dh_home_of(some[i]);
		while (dh_in_use(word, k))
			k = (k + 1) % DH_OWN_PLACES;
		DH_STORE(dh_place_at(to, k), some[i]);
		word |= dh_readers_tag(1u << k);
	}
	end(c, fits ? word : old);
	return fits;
}

bool dh_place_take(struct dh_cell *c, dh_record *word, dh_record *places, unsigned i,
		   dh_record rec)
{
	if (!begin(c, *word))
		return false;
	DH_STORE(dh_place_at(places, i), rec);
	*word |= dh_readers_tag(1u << i);
	end(c, *word);
	return true;
}

/* The array beside a cell, made or replaced where it has less room. NULL where there is
 * no memory for more. */
static struct dh_crowd *crowd_for(dh_record *places, uint32_t room)
{
	enum { BYTES_LIMIT = 1 << 28 };
	struct dh_crowd *old = dh_crowd_of(places);
	if (old && room <= old->room)
		return old;
	size_t size = sizeof *old + room * sizeof old->at[0];
	if (room > DH_CROWD_MOST)
		return NULL;
	if (__atomic_add_fetch(&crowd_bytes, size, __ATOMIC_RELAXED) > BYTES_LIMIT) {
		__atomic_fetch_sub(&crowd_bytes, size, __ATOMIC_RELAXED);
		return NULL;
	}
	/* The smaller one stays for who is looking at it: all of them together are no
	 * larger than this one. */
	struct dh_crowd *fresh = dh_mem_alloc(size);
	fresh->room = room;
	dh_record at = (uint64_t)(room - 1) << DH_CROWD_BITS | (uintptr_t)fresh;
	__atomic_store_n(dh_place_at(places, DH_CROWD_AT), at, __ATOMIC_RELEASE);
	return fresh;
}

/* Those that are still wanted, with the site that they have in common. False where they
 * do not find places. */
static bool lay_out(const struct dh_attempt *a, struct dh_crowd *to, const dh_record *at,
		    uint32_t count, dh_record site)
{
	for (uint32_t i = 0; i < to->room; i++)
		DH_STORE(&to->at[i], 0);
	for (uint32_t i = 0; i < count; i++) {
		dh_record r = DH_LOAD(&at[i]), *place;
		if (!r || stands_for(a, r))
			continue;
		if (!(place = dh_place_in_crowd(to, r)))
			return false;
		DH_STORE(place, r | site);
	}
	return true;
}

/* Too many for the cell's own places, or for the array that it has. False where nothing
 * can be done. */
static bool open_crowd(struct dh_attempt *a, struct dh_cell *c, dh_record old)
{
	dh_record own[DH_OWN_PLACES];
	dh_record *places = dh_shadow_readers(a->unit, a->level, true);
	uint32_t count;
	if (!places || !begin(c, old))
		return false;
	const dh_record *at = items_beside(a->unit, a->level, old, own, &count);
	bool grows = old == dh_tag(DH_TAG_CROWD), fits = false;
	uint32_t room = grows ? dh_crowd_of(places)->room * 2 : ARRAY_LEAST;
	struct dh_crowd *crowd;
	while (!fits && (crowd = crowd_for(places, room))) {
		crowd->mask = a->mask;
		fits = lay_out(a, crowd, at, count, dh_sets_site(old));
		room = crowd->room * 2;
	}
	end(c, fits ? dh_tag(DH_TAG_CROWD) : old);
	return fits;
}

/* What is to be in the place that has this; 0 where the record cannot go there. */
static dh_record in_place(const struct dh_attempt *a, dh_record old)
{
	if (!old || stands_for(a, old))
		return a->rec;
	if (dh_attempt_fine(a) || dh_record_atomic(old) < dh_record_atomic(a->rec))
		return 0;
	return joined(a, old);
}

/* A place for the record among the cell's own: the thread's former one, or else the first
 * that has room. DH_OWN_PLACES where there is none. *old: what it has; 0: it is free. */
static unsigned find_place(const struct dh_attempt *a, dh_record word, dh_record *places,
			   dh_record *old)
{
	unsigned found = DH_OWN_PLACES, i = dh_home_of(a->rec);
	for (unsigned n = 0; n < DH_OWN_PLACES; n++, i = (i + 1) % DH_OWN_PLACES) {
		dh_record r = dh_in_use(word, i) ? DH_LOAD(dh_place_at(places, i)) : 0;
		bool own = r && dh_record_own(r, a->rec);
		if ((found < DH_OWN_PLACES && !own) || !in_place(a, r))
			continue;
		found = i;
		*old = r;
		if (own)
			break;
	}
	return found;
}

/* Puts the record among the cell's own places; false where the cell has to be looked at
 * again, or has no place for it: then *full is true. */
static bool add_to_places(struct dh_attempt *a, struct dh_cell *c, dh_record word,
			  bool *full)
{
	dh_record *places = dh_shadow_readers(a->unit, a->level, false), old;
	unsigned i = find_place(a, word, places, &old);
	if ((*full = i == DH_OWN_PLACES))
		return false;
	if (!old)
		return dh_place_take(c, &word, places, i, a->rec);
	dh_record new = in_place(a, old);
	return new && DH_SWAP(dh_place_at(places, i), old, new) &&
	       DH_LOAD(&c->read) == word;
}

/* The same in a crowd, where each slot has one place. */
static bool add_to_crowd(struct dh_attempt *a, struct dh_cell *c, dh_record word,
			 bool *full)
{
	dh_record *places = dh_shadow_readers(a->unit, a->level, false);
	struct dh_crowd *crowd = dh_crowd_of(places);
	dh_record *place = dh_place_in_crowd(crowd, a->rec);
	if ((*full = !place))
		return false;
	dh_record old = DH_LOAD(place);
	/* Else the array has been replaced, perhaps without the record. */
	return DH_SWAP(place, old, a->rec) && DH_LOAD(&c->read) == word &&
	       dh_crowd_of(places) == crowd;
}

/* ---- adding ---- */

/* One record in place of one that it makes superfluous; 0 where there is none. */
static dh_record in_place_of(const struct dh_attempt *a, dh_record old)
{
	if (old &&
	    (dh_record_is_tag(old) || dh_record_atomic(old) != dh_record_atomic(a->rec)))
		return 0;
	return in_place(a, old);
}

/* What the reads are to be; 0 where the cell has taken the record in already, or has to
 * be looked at again: *done tells. All records are for the same bytes. */
static dh_record reads_with(struct dh_attempt *a, struct dh_cell *c, dh_record old,
			    bool *done)
{
	const bool fine = dh_attempt_fine(a);
	bool full = false;
	if (dh_tag_of(old)) {
		*done = dh_is_readers(old) ? add_to_places(a, c, old, &full)
					   : add_to_crowd(a, c, old, &full);
		if (!full || (!dh_is_readers(old) && open_places(a, c, old)) ||
		    open_crowd(a, c, old))
			return 0;
		dh_record made = dh_reads_portable(old, a->unit, a->level);
		return dh_sets_add(made, a->rec, a->self->vc, fine, &full);
	}
	dh_record new = add_to_set(a, old);
	if (!new && (open_places(a, c, old) || open_crowd(a, c, old)))
		return 0;
	return new ? new : dh_sets_add(old, a->rec, a->self->vc, fine, &full);
}

/* Do granules that are split for reads of their parts stay as they are split? What is read
 * at any offset, and in the units of the first reads by chance, does not. */
static bool parts_pay(struct dh_set_pay *p)
{
	bool pays = dh_pays(p);
	p->hits += pays;
	return pays;
}

void dh_reads_resplit(const struct dh_attempt *a)
{
	a->self->state->part_reads.makes++;
}

/* Is the read of one unit of the level that tells it and those of the word apart? Cells of
 * their own are cheaper for such than places, of which one thread would need several. Not
 * for bytes: cells of such take 128 bytes a granule. */
static bool is_part(const struct dh_attempt *a, dh_record old)
{
	enum { BYTES = 3 };
	unsigned level = DH_MAX(dh_split_level(a->mask), dh_reads_level(a, old));
	return level < BYTES && !(a->flags & DH_ACCESS_PIECE) &&
	       __builtin_popcount(a->mask) == 1 << dh_level_shift(level) &&
	       parts_pay(&a->self->state->part_reads);
}

/* The same for a granule's cell whose records are for different bytes. *split: its bytes
 * have to be told apart. */
static dh_record mixed_with(struct dh_attempt *a, struct dh_cell *c, dh_record old,
			    bool *done, bool *split)
{
	if (dh_is_readers(old)) {
		*done = add_to_places(a, c, old, split);
		*split = *split && !open_places(a, c, old) && DH_LOAD(&c->read) == old;
		return 0;
	}
	dh_record new = dh_tag_of(old) ? 0 : add_to_set(a, old);
	*split = !new && (dh_tag_of(old) || is_part(a, old) || !open_places(a, c, old)) &&
		 DH_LOAD(&c->read) == old;
	return new;
}

/* In a finer cell all records are as good as for the same bytes. */
static bool same_bytes(const struct dh_attempt *a, dh_record old)
{
	const struct dh_crowd *crowd = whole_crowd(a, old);
	dh_record room[DH_OWN_PLACES];
	uint32_t count;
	if (crowd)
		return crowd->mask == a->mask;
	const dh_record *at = dh_reads_items(a, old, false, room, &count);
	for (uint32_t i = 0; i < count && !dh_attempt_fine(a); i++) {
		dh_record r = DH_LOAD(&at[i]);
		if (r && dh_record_mask(r) != a->mask)
			return false;
	}
	return true;
}

enum dh_outcome dh_reads_add(struct dh_attempt *a, struct dh_cell *c)
{
	for (bool done = false, split = false; !done;) {
		dh_record old = dh_reads_settled(c);
		dh_record new = dh_record_is_kept(old) ? a->rec : in_place_of(a, old);
		const enum dh_outcome over =
		    new ? DH_OUTCOME_OTHER : dh_attempt_over(a, &c->read, old);
		if (over != DH_OUTCOME_OTHER)
			return over;
		if (!new && dh_record_has_elders(old)) {
			DH_SWAP(&c->read, old, dh_elders_word(a->granule, old, false));
			continue;
		}
		if (!new && same_bytes(a, old))
			new = reads_with(a, c, old, &done);
		else if (!new)
			new = mixed_with(a, c, old, &done, &split);
		if (split)
			return DH_OUTCOME_SPLIT;
		if (new)
			done = DH_SWAP(&c->read, old, new);
	}
	return DH_OUTCOME_DONE;
}
