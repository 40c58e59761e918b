/* SPDX-License-Identifier: MIT */
/*
 * The first read of a time frame where others have read too: what can be done without the
 * slow path (readers.c), in a cell's places or with sets that are known.
 *
 * A thread has a home among a cell's own places, which the fast path looks at. It may
 * have more: where it has read other bytes in earlier time frames, which the reads of
 * this one do not stand for, those records move out of the home, in place of still older
 * ones that they stand for.
 */
#include "runtime/attempt.h"
#include "runtime/blend.h"
#include "runtime/constants.h"
#include "runtime/elders.h"
#include "runtime/parts.h"
#include "runtime/sets.h"

unsigned dh_sets_own(const struct dh_self *t, dh_record word)
{
	const struct dh_set *s = dh_sets_get(word);
	unsigned mask = 0;
	for (uint32_t i = 0; i < s->count; i++)
		if (dh_record_covers(s->at[i], t->now, 0))
			mask |= dh_record_mask(s->at[i]);
	return mask;
}

/* The address that a cell of the granule is for. */
static uintptr_t unit_of(const struct dh_cell *c, uintptr_t granule, unsigned level)
{
	return granule + dh_part_offset(c, level);
}

static bool any_stands(const struct dh_self *t, const dh_record *at, uint32_t count,
		       unsigned mask)
{
	for (uint32_t i = 0; i < count; i++)
		if (dh_record_stands(DH_LOAD(&at[i]), t->now, t->alike, mask))
			return true;
	return false;
}

/* The same among the cell's own places, of which the lane's is likely at home. */
static bool any_place_stands(const struct dh_self *t, dh_record word, dh_record *places,
			     unsigned mask)
{
	unsigned i = dh_home_of(t->now);
	for (unsigned n = 0; n < DH_OWN_PLACES; n++, i = (i + 1) % DH_OWN_PLACES)
		if (dh_in_use(word, i) && any_stands(t, dh_place_at(places, i), 1, mask))
			return true;
	return false;
}

/* Do those in a set stand for it, each for some of the bytes? The fast path will know. */
static bool some_in_set_stand(struct dh_self *t, dh_record word, unsigned mask)
{
	const struct dh_set *s = dh_sets_get(word);
	unsigned have = 0;
	for (uint32_t i = 0; i < s->count; i++)
		if (dh_record_stands(s->at[i], t->now, t->alike, 0))
			have |= dh_record_mask(s->at[i]);
	if (have && !t->state->handler_count)
		dh_note_known_at(t, word, dh_lane_when(t), have);
	return have && !(mask & ~have);
}

bool dh_reads_stand(struct dh_self *t, const struct dh_cell *c, uintptr_t granule,
		    unsigned mask, unsigned level)
{
	dh_record word = DH_LOAD(&c->read), *places;
	mask = dh_level_mask(mask, level);
	if (dh_sets_is_set(word))
		return some_in_set_stand(t, word, mask);
	if (!dh_tag_of(word))
		return any_stands(t, &word, 1, mask);
	places = dh_shadow_readers(unit_of(c, granule, level), level, false);
	if (dh_is_readers(word))
		return any_place_stands(t, word, places, mask);
	if (word != dh_tag(DH_TAG_CROWD))
		return false;
	const dh_record *own = dh_place_in_crowd(dh_crowd_of(places), t->now);
	return own && any_stands(t, own, 1, mask);
}

bool dh_read_stands(struct dh_self *t, const struct dh_cell *c, uintptr_t granule,
		    unsigned mask, unsigned level)
{
	return dh_reads_stand(t, c, granule, mask, level) &&
	       dh_all_ordered(t, DH_LOAD(&c->write));
}

bool dh_places_ordered(const struct dh_self *t, uintptr_t granule, dh_record word)
{
	if (!dh_is_readers(word))
		return false;
	dh_record *places = dh_shadow_readers(granule, 0, false);
	for (unsigned i = 0; i < DH_OWN_PLACES; i++)
		if (dh_in_use(word, i) &&
		    !dh_is_ordered(t->vc, DH_LOAD(dh_place_at(places, i))))
			return false;
	return true;
}

dh_record dh_reads_together(struct dh_self *t, dh_record old, dh_record rec)
{
	if (!dh_record_beyond(old, dh_record_mask(rec)))
		return rec;
	if (dh_record_joins(old, rec))
		return dh_record_joined(old, rec);
	dh_record made = dh_blend_at_hand(t, old, rec);
	if (made)
		return made;
	bool fresh;
	dh_enter_runtime(t);
	made = dh_blend(t, old, rec, &fresh);
	dh_leave_runtime(t);
	return made;
}

/* What a thread has among a cell's own places, by their numbers; NONE: nothing. */
enum { NONE = DH_OWN_PLACES };
struct own_places {
	struct dh_cell *c;
	dh_record word;	   /* the cell's reads */
	dh_record *places; /* the first */
	unsigned home;	   /* where it is looked for first */
	unsigned present;  /* of this time frame */
	unsigned past;	   /* of an earlier one, which the read makes superfluous */
	unsigned room;	   /* the first from home on: free; or what another had there is
			    * ordered before the read; or what is at home makes it
			    * superfluous */
};

/* What is in a place; 0: it is free. */
static dh_record held(const struct own_places *own, unsigned i)
{
	return dh_in_use(own->word, i) ? DH_LOAD(dh_place_at(own->places, i)) : 0;
}

static void put(const struct own_places *own, unsigned i, dh_record rec)
{
	DH_STORE(dh_place_at(own->places, i), rec);
}

/* Looks at them all. True: one covers the read. */
static bool look_at_places(const struct dh_self *t, struct own_places *own, dh_record rec,
			   unsigned level)
{
	unsigned mask = dh_record_mask(rec), i = own->home;
	dh_record at_home = held(own, own->home);
	for (unsigned n = 0; n < DH_OWN_PLACES; n++, i = i + 1 < NONE ? i + 1 : 0) {
		dh_record r = held(own, i);
		if (!r) {
			own->room = own->room < NONE ? own->room : i;
			continue;
		}
		if (dh_record_covers(r, t->now, dh_level_mask(mask, level)))
			return true;
		bool mine = dh_record_own(r, rec);
		if (mine && !dh_record_atomic(r) && dh_record_same_epoch(r, t->now))
			own->present = i;
		else if (mine && !dh_keeps(r, mask, level))
			own->past = i;
		else if (mine ? i != own->home && dh_read_after(at_home, r, level)
			      : !dh_keeps(r, mask, level) && dh_is_ordered(t->vc, r))
			own->room = own->room < NONE ? own->room : i;
	}
	return false;
}

/* Puts a record where there is room. */
static bool fill_room(struct own_places *own, dh_record rec)
{
	dh_record old = held(own, own->room);
	return old ? DH_SWAP(dh_place_at(own->places, own->room), old, rec)
		   : dh_place_take(own->c, &own->word, own->places, own->room, rec);
}

/* The first read of the time frame takes the thread's home, where the fast path finds it:
 * what it has there of an earlier one moves out. */
static bool put_first(struct dh_self *t, struct own_places *own, dh_record rec)
{
	dh_record at_home = held(own, own->home);
	bool moves = dh_record_own(at_home, rec);
	dh_enter_runtime(t);
	bool done = fill_room(own, moves ? at_home : rec);
	if (done && moves)
		put(own, own->home, rec);
	dh_leave_runtime(t);
	return done;
}

/* The same where it makes one superfluous that is in another place. */
static void renew(const struct own_places *own, dh_record rec)
{
	dh_record at_home = held(own, own->home);
	unsigned to = own->past;
	if (to != own->home && dh_record_own(at_home, rec)) {
		put(own, to, at_home);
		to = own->home;
	}
	put(own, to, rec);
}

/* Together with the others of this time frame, which are in a place: there, or at home
 * where that has nothing but what is superfluous then. */
static enum dh_first put_with(struct dh_self *t, const struct own_places *own,
			      dh_record rec)
{
	dh_record new = dh_reads_together(t, held(own, own->present), rec);
	if (!new)
		return DH_FIRST_NOT;
	put(own, own->past == own->home ? own->home : own->present, new);
	return DH_FIRST_MET;
}

/* The read among the cell's own places: a repeat, or together with others of the same
 * time frame, or in place of an older one, or in a place that is free. Done; or put
 * there, and who wrote has to be looked at (DH_FIRST_MET); or not. */
static enum dh_first read_in_places(struct dh_self *t, struct own_places *own,
				    dh_record rec, unsigned level)
{
	dh_record at_home = held(own, own->home);
	if (dh_blends(at_home, rec)) {
		own->present = own->home;
		return dh_record_covers(at_home, t->now,
					dh_level_mask(dh_record_mask(rec), level))
			   ? DH_FIRST_DONE
			   : put_with(t, own, rec);
	}
	if (look_at_places(t, own, rec, level))
		return DH_FIRST_DONE;
	if (own->present < NONE)
		return put_with(t, own, rec);
	if (own->past < NONE)
		renew(own, rec);
	else if (own->room == NONE || !put_first(t, own, rec))
		return DH_FIRST_NOT;
	return DH_FIRST_MET;
}

/* The same where each slot has a place of its own. */
static enum dh_first read_in_crowd(const struct dh_self *t, dh_record *places,
				   dh_record rec, unsigned level)
{
	struct dh_crowd *crowd = dh_crowd_of(places);
	dh_record *place = dh_place_in_crowd(crowd, rec),
		  old = place ? DH_LOAD(place) : 0;
	unsigned mask = dh_record_mask(rec);
	if (!place || (level == 0 && crowd->mask != mask))
		return DH_FIRST_NOT;
	if (old && !dh_record_own(old, rec))
		return DH_FIRST_NOT;
	if (old && dh_record_covers(old, t->now, dh_level_mask(mask, level)))
		return DH_FIRST_DONE;
	if (old)
		DH_STORE(place, rec);
	else if (!DH_SWAP(place, old, rec))
		return DH_FIRST_NOT;
	return DH_FIRST_MET;
}

/* The read of a cell with places. Nobody else writes to a place as long as its record is
 * of this thread's present. */
static enum dh_first read_in_place(struct dh_self *t, struct dh_cell *c,
				   uintptr_t granule, dh_record rec, dh_record read,
				   unsigned level)
{
	dh_record *at = dh_shadow_readers(unit_of(c, granule, level), level, false);
	const bool crowded = read == dh_tag(DH_TAG_CROWD);
	const struct dh_crowd *crowd = at && crowded ? dh_crowd_of(at) : NULL;
	struct own_places own = {.c = c,
				 .word = read,
				 .places = at,
				 .home = dh_home_of(rec),
				 .present = NONE,
				 .past = NONE,
				 .room = NONE};
	enum dh_first f = DH_FIRST_NOT;
	if (at && dh_is_readers(read))
		f = read_in_places(t, &own, rec, level);
	else if (at && crowded)
		f = read_in_crowd(t, at, rec, level);
	if (f != DH_FIRST_MET)
		return f;
	/* What has changed meanwhile may be without the record, or with it. */
	if (DH_LOAD(&c->read) != own.word || (crowded && dh_crowd_of(at) != crowd))
		return DH_FIRST_MET;
	return dh_all_ordered(t, DH_LOAD(&c->write)) ? DH_FIRST_DONE : DH_FIRST_MET;
}

/* Together with the thread's other reads of this time frame. */
static enum dh_first read_blended(struct dh_self *t, struct dh_cell *c, dh_record rec,
				  dh_record read)
{
	if (!dh_all_ordered(t, DH_LOAD(&c->write)))
		return DH_FIRST_NOT;
	dh_record new = dh_reads_together(t, read, rec);
	if (!new || DH_LOAD(&c->read) != read)
		return DH_FIRST_NOT;
	DH_STORE(&c->read, new);
	return DH_FIRST_DONE;
}

/* Nobody has written to it, and nobody can: it needs no records. */
static bool becomes_constant(struct dh_cell *c, uintptr_t granule, unsigned level)
{
	dh_record none = 0;
	return level == 0 && !DH_LOAD(&c->write) && dh_maybe_constant(granule) &&
	       dh_constant(granule) &&
	       DH_SWAP(&c->write, none, dh_tag(DH_TAG_CONST));
}

/* Has a task whose reads stand for this one's read the whole granule, among those of a set?
 * Then the fast path knows it as the thread's own: no set of writes has two plain records
 * of a byte. */
static bool kin_in_set(struct dh_self *t, const struct dh_cell *c, dh_record word)
{
	const struct dh_set *s = dh_sets_get(word);
	bool has = false;
	if (!t->kin || t->state->handler_count || !dh_all_ordered(t, DH_LOAD(&c->write)))
		return false;
	for (uint32_t i = 0; i < s->count; i++) {
		if (dh_record_atomic(s->at[i]))
			return false;
		has |= dh_kin_has(t->kin, s->at[i], DH_WHOLE);
	}
	if (has)
		dh_note_known(t, word, DH_WHOLE);
	return has;
}

/* After one of other bytes, which becomes its elder. */
static enum dh_first read_over(struct dh_self *t, struct dh_cell *c, uintptr_t granule,
			       dh_record rec, dh_record read)
{
	if (!dh_elders_fit(t, granule, read, rec) || !dh_all_ordered(t, DH_LOAD(&c->write)) ||
	    !dh_elders_push(t, granule, &c->read, read, rec, false))
		return DH_FIRST_NOT;
	return dh_all_ordered(t, DH_LOAD(&c->write)) ? DH_FIRST_DONE : DH_FIRST_MET;
}

enum dh_first dh_first_shared_read(struct dh_self *t, struct dh_cell *c,
				   uintptr_t granule, dh_record rec, dh_record read,
				   unsigned level)
{
	unsigned mask = dh_record_mask(rec);
	if (becomes_constant(c, granule, level))
		return DH_FIRST_DONE;
	if (dh_tag_of(read))
		return read_in_place(t, c, granule, rec, read, level);
	if (level == 0 && dh_blends(read, rec))
		return read_blended(t, c, rec, read);
	if (dh_sets_is_set(read)) {
		unsigned own = dh_sets_own(t, read);
		if (own && !(dh_level_mask(mask, level) & ~own)) {
			if (!t->state->handler_count)
				dh_note_known(t, read, own);
			return DH_FIRST_DONE;
		}
		if (level == 0 && mask == DH_WHOLE && kin_in_set(t, c, read))
			return DH_FIRST_DONE;
	}
	if (level > 0 && !dh_reads_alike(read, mask))
		return DH_FIRST_NOT;
	if (level == 0 && dh_elders_may(t, read, rec))
		return read_over(t, c, granule, rec, read);
	if (dh_record_has_elders(read))
		return DH_FIRST_NOT;
	dh_record write = DH_LOAD(&c->write);
	if (!dh_all_ordered(t, write))
		return DH_FIRST_NOT;
	enum dh_first f = dh_join_readers(t, c, rec, read, write);
	return f == DH_FIRST_SHARED ? DH_FIRST_NOT : f;
}
