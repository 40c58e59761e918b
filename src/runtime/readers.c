/* SPDX-License-Identifier: MIT */
/*
 * Cells that several threads have read. Two forms. A set (sets.h) is shared by all cells
 * that have the same readers, which is what arrays want: the step from one set to the
 * next is in the memo of the thread, and costs nothing new. Where every cell has readers
 * of its own (a table under a reader-writer lock: each look-up is a time frame), making
 * sets would be slow and without end; there a cell gets places of its own. Which it is,
 * the memo tells: sets are made as long as it answers many times for each that is made,
 * and while they are not too many.
 *
 * Of the words beside a cell all but the last are such places. Where there are more
 * readers, the last has the address of an array with a place for each slot. Places are
 * the cell's for good, and so is the array; what they hold means something only while
 * the cell's tag says so. Who changes the form puts the tag BUSY meanwhile.
 */
#include "runtime/attempt.h"
#include "base/mem.h"
#include "runtime/sets.h"

enum {
	OWN_PLACES = DH_PLACES - 1, /* and behind them: */
	ARRAY_AT = OWN_PLACES,
	ARRAY_LEAST = 64,
};

/* An array of places, two for each slot: an atomic read does not stand for a plain one.
 */
struct crowd {
	uint32_t room;
	dh_record at[]; /* atomic */
};

static uint32_t place_in_crowd(dh_record r)
{
	return dh_record_slot(r) * 2 + dh_record_atomic(r);
}

static uint64_t crowd_bytes; /* atomic */

static struct crowd *crowd_of(const dh_record *places)
{
	return (struct crowd *)(uintptr_t)DH_LOAD(&places[ARRAY_AT]);
}

/* ---- looking ---- */

dh_record dh_reads_settled(const struct dh_cell *c)
{
	dh_record read;
	do
		read = __atomic_load_n(&c->read, __ATOMIC_SEQ_CST);
	while (DH_UNLIKELY(read == dh_tag(DH_TAG_BUSY)));
	return read;
}

static const dh_record *items_beside(uintptr_t unit, unsigned level, dh_record word,
				     dh_record *place, uint32_t *count)
{
	enum dh_split_tag tag = dh_tag_of(word);
	if (tag != DH_TAG_READERS && tag != DH_TAG_CROWD)
		return dh_sets_items(word, place, count);
	const dh_record *places = dh_shadow_readers(unit, level, false);
	const struct crowd *crowd = tag == DH_TAG_CROWD ? crowd_of(places) : NULL;
	*count = crowd ? crowd->room : OWN_PLACES;
	return crowd ? crowd->at : places;
}

const dh_record *dh_reads_items(const struct dh_attempt *a, dh_record word,
				dh_record *place, uint32_t *count)
{
	return items_beside(a->unit, a->level, word, place, count);
}

unsigned dh_reads_mask(const struct dh_attempt *a, dh_record word)
{
	dh_record place;
	uint32_t count;
	const dh_record *at = dh_reads_items(a, word, &place, &count);
	for (uint32_t i = 0; i < count; i++) {
		dh_record r = DH_LOAD(&at[i]);
		if (r)
			return dh_record_mask(r);
	}
	return DH_WHOLE;
}

dh_record dh_reads_portable(dh_record word, uintptr_t unit, unsigned level)
{
	dh_record place;
	uint32_t count;
	if (!dh_tag_of(word))
		return word;
	const dh_record *at = items_beside(unit, level, word, &place, &count);
	return dh_sets_make(at, count);
}

/* ---- sets ---- */

static struct dh_set_memo *memo_of(const struct dh_self *t, dh_record old, dh_record rec)
{
	/* Not symmetric: two threads at the same two sites are met either way round. */
	uint64_t h = (old * 3 + rec) * 0x9e3779b97f4a7c15ull;
	return &t->state->memo[(h >> 40) % DH_SET_MEMO];
}

static void remember(struct dh_set_memo *m, dh_record old, dh_record rec, dh_record made)
{
	m->old = 0; /* a signal handler may look in between: see dh_first_shared_read() */
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
static dh_record add_to_set(struct dh_attempt *a, dh_record old)
{
	struct dh_thread_state *s = a->self->state;
	struct dh_set_memo *m = memo_of(a->self, old, a->rec);
	if (m->old == old && m->rec == a->rec) {
		s->set_hits++;
		return m->made;
	}
	if (!sets_pay(s))
		return 0;
	dh_record made = dh_sets_add(old, a->rec);
	if (!s->handler_count)
		remember(m, old, a->rec, made);
	return made;
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

/* Gives the cell its own places, with the reads it has. False where it cannot be done:
 * no memory, too many, or the reads have changed. */
static bool open_places(struct dh_attempt *a, struct dh_cell *c, dh_record old)
{
	dh_record place, *to = dh_shadow_readers(a->unit, a->level, true);
	uint32_t count;
	const dh_record *at = dh_sets_items(old, &place, &count);
	if (!to || count >= OWN_PLACES || !begin(c, old))
		return false;
	for (uint32_t i = 0; i < OWN_PLACES; i++)
		DH_STORE(&to[i], 0);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k =
		    dh_record_slot(at[i]) % OWN_PLACES; /* where it will look first */
		while (to[k])
			k = (k + 1) % OWN_PLACES;
		DH_STORE(&to[k], at[i]);
	}
	end(c, dh_tag(DH_TAG_READERS));
	return true;
}

/* The array beside a cell, made or replaced where it is too small. NULL where there is no
 * room for more. */
static struct crowd *crowd_for(dh_record *places, uint32_t slots)
{
	enum { BYTES_LIMIT = 1 << 28 };
	struct crowd *old = crowd_of(places);
	if (old && slots * 2 <= old->room)
		return old;
	uint32_t room = ARRAY_LEAST;
	while (room < slots * 2)
		room *= 2;
	size_t size = sizeof *old + room * sizeof old->at[0];
	if (__atomic_add_fetch(&crowd_bytes, size, __ATOMIC_RELAXED) > BYTES_LIMIT) {
		__atomic_fetch_sub(&crowd_bytes, size, __ATOMIC_RELAXED);
		return NULL;
	}
	/* The smaller one stays for who is looking at it: all of them together are no
	 * larger than this one. */
	struct crowd *fresh = dh_mem_alloc(size);
	fresh->room = room;
	__atomic_store_n(&places[ARRAY_AT], (uintptr_t)fresh, __ATOMIC_RELEASE);
	return fresh;
}

/* The records may be those of the array itself. */
static void lay_out(struct crowd *to, const dh_record *at, uint32_t count)
{
	if (at == to->at)
		return;
	for (uint32_t i = 0; i < to->room; i++)
		DH_STORE(&to->at[i], 0);
	for (uint32_t i = 0; i < count; i++) {
		dh_record r = DH_LOAD(&at[i]);
		if (r)
			DH_STORE(&to->at[place_in_crowd(r)], r);
	}
}

/* Too many for the cell's own places: each slot gets one. False where it cannot be done.
 */
static bool open_crowd(struct dh_attempt *a, struct dh_cell *c, dh_record old)
{
	dh_record place, *places = dh_shadow_readers(a->unit, a->level, true);
	uint32_t count;
	if (!places || !begin(c, old))
		return false;
	const dh_record *at = items_beside(a->unit, a->level, old, &place, &count);
	struct crowd *crowd =
	    crowd_for(places, __atomic_load_n(&dh_slot_count, __ATOMIC_RELAXED));
	if (crowd)
		lay_out(crowd, at, count);
	end(c, crowd ? dh_tag(DH_TAG_CROWD) : old);
	return crowd != NULL;
}

/* A place for the record among the cell's own: the thread's former one, an empty one, or
 * one whose read is ordered before this one. -1 where there is none. */
static int find_place(const struct dh_attempt *a, const dh_record *at)
{
	unsigned first = dh_record_slot(a->rec) % OWN_PLACES;
	int found = -1;
	for (unsigned n = 0; n < OWN_PLACES; n++) {
		unsigned i = (first + n) % OWN_PLACES;
		dh_record r = DH_LOAD(&at[i]);
		bool stands_for = dh_record_atomic(r) >= dh_record_atomic(a->rec);
		if (r && stands_for && dh_record_slot(r) == dh_record_slot(a->rec))
			return (int)i;
		if (found < 0 && (!r || (stands_for && dh_attempt_after(a, r))))
			found = (int)i;
	}
	return found;
}

/* Where the record goes; NULL where there is no place for it. */
static dh_record *place_for(const struct dh_attempt *a, dh_record word)
{
	dh_record *places = dh_shadow_readers(a->unit, a->level, false);
	if (word == dh_tag(DH_TAG_CROWD)) {
		struct crowd *crowd = crowd_of(places);
		uint32_t i = place_in_crowd(a->rec);
		return i < crowd->room ? &crowd->at[i] : NULL;
	}
	int i = find_place(a, places);
	return i < 0 ? NULL : &places[i];
}

/* May the record take the place of this one? */
static bool may_replace(const struct dh_attempt *a, dh_record old)
{
	return !old || dh_record_slot(old) == dh_record_slot(a->rec) ||
	       dh_attempt_after(a, old);
}

/* Puts the record among the cell's own; false where the cell has to be looked at again,
 * or has no place for it: then *full is true. */
static bool add_to_places(struct dh_attempt *a, struct dh_cell *c, dh_record word,
			  bool *full)
{
	for (;;) {
		dh_record *place = place_for(a, word);
		if ((*full = !place))
			return false;
		dh_record old = DH_LOAD(place);
		if (may_replace(a, old) &&
		    __atomic_compare_exchange_n(place, &old, a->rec, false,
						__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			break;
	}
	return DH_LOAD(&c->read) == word;
}

/* ---- adding ---- */

/* One record in place of one that it makes superfluous; 0 where there is none. */
static dh_record in_place_of(const struct dh_attempt *a, dh_record old, unsigned mask)
{
	if (!old)
		return a->rec;
	if (dh_record_is_tag(old) || dh_record_atomic(old) != dh_record_atomic(a->rec))
		return 0;
	if (dh_attempt_after(a, old) && !(mask & ~a->mask))
		return a->rec;
	bool joins = !dh_attempt_fine(a) && dh_record_joins(old, a->rec);
	return joins ? dh_record_joined(old, a->rec) : 0;
}

/* What the reads are to be; 0 where the cell has taken the record in already, or has to
 * be looked at again: *done tells. */
static dh_record reads_with(struct dh_attempt *a, struct dh_cell *c, dh_record old,
			    bool *done)
{
	bool full = false;
	if (dh_tag_of(old)) {
		*done = add_to_places(a, c, old, &full);
		if (!full || open_crowd(a, c, old))
			return 0;
		dh_record made = dh_reads_portable(old, a->unit, a->level);
		return dh_sets_add(made, a->rec);
	}
	dh_record new = add_to_set(a, old);
	if (!new && (open_places(a, c, old) || open_crowd(a, c, old)))
		return 0;
	return new ? new : dh_sets_add(old, a->rec);
}

enum dh_outcome dh_reads_add(struct dh_attempt *a, struct dh_cell *c)
{
	for (bool done = false; !done;) {
		dh_record old = dh_reads_settled(c);
		bool fine = dh_attempt_fine(a) || !old;
		unsigned mask = fine ? a->mask : dh_reads_mask(a, old);
		dh_record new = in_place_of(a, old, mask);
		if (!new &&mask != a->mask)
			return DH_OUTCOME_SPLIT;
		if (!new)
			new = reads_with(a, c, old, &done);
		if (new)
			done = __atomic_compare_exchange_n(&c->read, &old, new, false,
							   __ATOMIC_SEQ_CST,
							   __ATOMIC_RELAXED);
	}
	return DH_OUTCOME_DONE;
}

/* ---- the fast path ---- */

static void note_known(struct dh_self *t, dh_record word, dh_record rec)
{
	struct dh_known_set *k = &t->known[(word >> 4) % DH_KNOWN_SETS];
	if (t->state->handler_count)
		return;
	k->word = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	k->when = t->now | dh_record_mask(rec);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	k->word = word;
}

/* Is there a record of this very access in the set? */
static bool set_has(const struct dh_self *t, dh_record word, unsigned mask)
{
	const struct dh_set *s = dh_sets_get(word);
	for (uint32_t i = 0; i < s->count; i++)
		if (dh_record_covers(s->at[i], t->now, mask))
			return true;
	return false;
}

/* Where the thread's own place is, among those of a cell, if it has one there. */
static dh_record *own_place(uintptr_t granule, dh_record rec, dh_record word)
{
	dh_record *places = dh_flat_readers(granule);
	if (!places || word == dh_tag(DH_TAG_READERS))
		return places ? &places[dh_record_slot(rec) % OWN_PLACES] : NULL;
	struct crowd *crowd = crowd_of(places);
	uint32_t i = place_in_crowd(rec);
	return i < crowd->room ? &crowd->at[i] : NULL;
}

/* Nobody else writes to the thread's own place as long as it has its record in it, so a
 * plain store will do, as in a cell of its own. */
static enum dh_first renew_place(struct dh_self *t, struct dh_cell *c, uintptr_t granule,
				 dh_record rec, dh_record word)
{
	dh_record *at = own_place(granule, rec, word);
	if (!at)
		return DH_FIRST_NOT;
	dh_record old = DH_LOAD(at);
	if (!dh_record_same_slot(old, rec) ||
	    ((old ^ rec) & (DH_ABSENT_FIELD | DH_ATOMIC_FLAG)))
		return DH_FIRST_NOT;
	if (dh_record_same_epoch(old, t->now))
		return DH_FIRST_DONE;
	DH_STORE(at, rec);
	if (DH_LOAD(&c->read) != word)
		return DH_FIRST_NOT;
	return dh_is_ordered(t->vc, DH_LOAD(&c->write)) ? DH_FIRST_DONE : DH_FIRST_MET;
}

/* The bytes that the records of a word are for; all agree in a cell of level 0. */
static unsigned mask_of(dh_record word)
{
	return dh_record_mask(dh_sets_is_set(word) ? dh_sets_get(word)->at[0] : word);
}

enum dh_first dh_first_shared_read(struct dh_self *t, struct dh_cell *c,
				   uintptr_t granule, dh_record rec, dh_record read,
				   unsigned level)
{
	unsigned mask = dh_record_mask(rec);
	if (level == 0 &&
	    (read == dh_tag(DH_TAG_READERS) || read == dh_tag(DH_TAG_CROWD)))
		return renew_place(t, c, granule, rec, read);
	if (dh_sets_is_set(read) && set_has(t, read, dh_level_mask(mask, level))) {
		note_known(t, read, rec);
		return DH_FIRST_DONE;
	}
	if (level == 0 && mask_of(read) != mask)
		return DH_FIRST_NOT;
	const struct dh_set_memo *m = memo_of(t, read, rec);
	dh_record made = m->made, write = DH_LOAD(&c->write);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (m->old != read || m->rec != rec || !dh_is_ordered(t->vc, write))
		return DH_FIRST_NOT;
	t->state->set_hits++;
	if (!DH_SWAP(&c->read, read, made))
		return DH_FIRST_NOT;
	note_known(t, made, rec);
	return DH_LOAD(&c->write) == write ? DH_FIRST_DONE : DH_FIRST_MET;
}
