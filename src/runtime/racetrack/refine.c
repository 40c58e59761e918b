/* SPDX-License-Identifier: MIT */
/* See refine.h. */
#include "runtime/racetrack/refine.h"
#include "runtime/access.h"
#include "runtime/racetrack/aside.h"
#include "runtime/racetrack/diary.h"
#include "runtime/racetrack/meetings.h"
#include "runtime/racetrack/modes.h"
#include "runtime/racetrack/step.h"
#include "runtime/roomy.h"

/* Records of the past go into the cells in an order that keeps what matters most: writes
 * that the thread at hand is ordered after, other writes, reads. */
enum pass { WRITES_BEFORE, WRITES_OPEN, READS, PASSES };

enum {
	PAST_MOST = 128, /* of a granule; more are not looked at */
	SLOTS_ASKED = 64 /* that are asked once which of their ranges matter */
};

struct replay {
	struct dh_self *t;
	struct dh_self *as; /* whose record it is, as far as a cell asks */
	uintptr_t granule;
	uintptr_t aside; /* where its cells and word are */
	struct dh_rt_at_hand at_hand;
	uint32_t count;
	bool line;   /* the object is a line of larger memory */
	bool closed; /* there is some past that the access is after */
	bool known;  /* and some that was met often enough */
	struct dh_rt_past past[PAST_MOST];
};

static const uint32_t no_clock[DH_SLOTS];

static enum pass pass_of(const struct dh_self *t, const struct dh_rt_past *p)
{
	if (!p->write)
		return READS;
	return dh_is_ordered(t->vc, p->rec) ? WRITES_BEFORE : WRITES_OPEN;
}

/* Any access of this time frame makes the field OWNED by that thread; the last one that
 * is told wins, and it is one that the thread at hand is not ordered after if there is
 * one. */
static void note_field(const struct replay *r, const struct dh_rt_past *p)
{
	dh_rt_word *field = dh_rt_field(r->aside, true);
	if (!field || dh_record_atomic(p->rec))
		return;
	unsigned flags = DH_RT_KNOWN | (p->write ? DH_RT_WROTE : 0);
	if (dh_record_same_slot(*field, p->rec))
		flags |= *field & DH_RT_WROTE;
	if (*field)
		flags |= DH_RT_MIXED; /* perhaps; it costs no more than a look */
	*field = dh_rt_make(DH_RT_OWNED, dh_rt_label(p->rec),
			    dh_rt_modes_protecting(p->locks, p->write), flags);
}

static bool is_at_hand(const struct replay *r, const struct dh_rt_past *p)
{
	return r->at_hand.from <= r->granule && r->granule < r->at_hand.to &&
	       p->write == r->at_hand.write && dh_record_same_epoch(p->rec, r->t->epoch);
}

/* Is it one that the strong order has, and that was met here often enough? Of small objects
 * that is said of ranges alone. */
static bool is_known(const struct replay *r, const struct dh_rt_past *p)
{
	return (p->range || r->line) && r->at_hand.site && dh_is_ordered(r->t->vc, p->rec) &&
	       dh_rt_meetings_enough(dh_record_site(p->rec), r->at_hand.site);
}

static void count(const struct dh_rt_past *p, void *with)
{
	struct replay *r = with;
	if (is_at_hand(r, p))
		return;
	if (dh_record_same_slot(p->rec, r->t->epoch) ||
	    dh_is_ordered(dh_rt_of(r->t)->weak, p->rec))
		r->closed = true;
	else if (is_known(r, p))
		r->known = true;
	else
		r->count++;
}

/* Is all that a slot ever did before the access in the weak order, or the thread's own? */
static bool is_closed(const struct dh_self *t, uint32_t slot)
{
	return slot == dh_record_slot(t->epoch) ||
	       DH_LOAD(&dh_rt_latest[slot].clock) <= dh_rt_of(t)->weak[slot];
}

/* Do the diaries have anything of the object? What the access at hand is after in the weak
 * order does not count for a line, nor beside what was met often enough: it would find
 * nothing. */
static bool has_past(struct replay *r, const struct dh_rt_object *o)
{
	uint32_t n = DH_LOAD(&dh_slot_count);
	r->count = 0;
	r->line = o->length == DH_RT_LINE && o->start % DH_RT_LINE == 0;
	for (uint32_t slot = 1; slot < n; slot++) {
		if (r->line && is_closed(r->t, slot))
			continue;
		uint64_t ranges = dh_rt_diary_ranges(slot, o->start, o->start + o->length);
		if (!ranges && !dh_rt_diary_may_have(slot, o->start, o->start + o->length))
			continue;
		for (r->granule = o->start; r->granule < o->start + o->length;
		     r->granule += DH_GRANULE) {
			dh_rt_diary_each(slot, ranges, r->granule, count, r);
			if (r->count)
				return true;
		}
	}
	return r->closed && !r->known && !r->line;
}

static void gather(const struct dh_rt_past *p, void *with)
{
	struct replay *r = with;
	if (is_at_hand(r, p) || r->count == PAST_MOST)
		return;
	/* By slot and clock, so that of one thread's the last one comes last. */
	uint32_t i = r->count++;
	for (; i > 0 && r->past[i - 1].rec > p->rec; i--)
		r->past[i] = r->past[i - 1];
	r->past[i] = *p;
}

static void replay(struct replay *r, const struct dh_rt_past *p)
{
	r->as->epoch = r->as->now = dh_rt_label(p->rec);
	dh_access_past(r->as, r->aside | DH_SHADOW_ASIDE, p->rec, p->write);
	note_field(r, p);
}

/* The cells and words of the object, at r->aside, get what the diaries have. */
static void replay_all(struct replay *r, const struct dh_rt_object *o)
{
	uint32_t n = DH_LOAD(&dh_slot_count);
	uint64_t ranges[SLOTS_ASKED], none = 0; /* slots that have nothing */
	for (uint32_t slot = 1; slot < n && slot < SLOTS_ASKED; slot++) {
		ranges[slot] = dh_rt_diary_ranges(slot, o->start, o->start + o->length);
		if (!ranges[slot] &&
		    !dh_rt_diary_may_have(slot, o->start, o->start + o->length))
			none |= (uint64_t)1 << slot;
	}
	struct dh_self as = *r->t; /* but for what it knows */
	as.vc = (uint32_t *)no_clock;
	dh_past_forget(as.state);
	struct dh_known_set known[DH_KNOWN_SETS] = {0};
	as.known = known;
	r->as = &as;
	for (r->granule = o->start; r->granule < o->start + o->length;
	     r->granule += DH_GRANULE, r->aside += DH_GRANULE) {
		r->count = 0;
		for (uint32_t slot = 1; slot < n; slot++) {
			bool asked = slot < SLOTS_ASKED;
			if (!asked || !(none >> slot & 1))
				dh_rt_diary_each(slot,
						 asked ? ranges[slot] : DH_RT_ALL_RANGES,
						 r->granule, gather, r);
		}
		for (enum pass pass = 0; pass < PASSES; pass++)
			for (uint32_t i = 0; i < r->count; i++)
				if (pass_of(r->t, &r->past[i]) == pass)
					replay(r, &r->past[i]);
	}
}

struct refining {
	struct dh_self *t;
	const struct dh_rt_object *o;
	dh_rt_word w, untold;
	struct dh_rt_at_hand at_hand;
};

static DH_NOINLINE void refine(void *refining)
{
	const struct refining *a = refining;
	const struct dh_rt_object *o = a->o;
	struct replay r = {.t = a->t, .at_hand = a->at_hand};
	if (!dh_rt_swap(o->word, a->w, (a->w & ~(dh_rt_word)7) | DH_RT_BUSY))
		return;
	if (a->untold && !has_past(&r, o)) {
		__atomic_store_n(o->word, a->untold, __ATOMIC_RELEASE);
		dh_rt_of(r.t)->counts[DH_RT_SPARED] += r.known;
		return;
	}
	uintptr_t aside = r.aside = dh_rt_aside_take(o->length);
	replay_all(&r, o);
	__atomic_store_n(o->word, dh_rt_fine(aside), __ATOMIC_RELEASE);
	dh_rt_of(r.t)->counts[DH_RT_REFINED]++;
}

/* What was noted of the object takes several kilobytes. */
void dh_rt_refine(struct dh_self *t, const struct dh_rt_object *o, dh_rt_word w,
		  dh_rt_word untold, struct dh_rt_at_hand at_hand)
{
	struct refining r = {t, o, w, untold, at_hand};
	if (DH_UNLIKELY(t->state->handler_count))
		dh_roomy_call(refine, &r);
	else
		refine(&r);
}

dh_rt_word dh_rt_settled(const struct dh_rt_object *o)
{
	uint64_t waited = 0;
	dh_rt_word w;
	while (dh_rt_state(w = __atomic_load_n(o->word, __ATOMIC_ACQUIRE)) == DH_RT_BUSY)
		dh_wait_briefly(&waited);
	return w;
}
