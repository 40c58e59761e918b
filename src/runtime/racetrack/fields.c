/* SPDX-License-Identifier: MIT */
/* See fields.h. */
#include "runtime/racetrack/fields.h"
#include "report/wire.h"
#include "runtime/access.h"
#include "runtime/race.h"
#include "runtime/racetrack/direct.h"
#include "runtime/racetrack/modes.h"
#include "runtime/racetrack/objects.h"
#include "runtime/report.h"

static unsigned wire_flags(bool write, bool atomic)
{
	return (write ? DH_WIRE_WRITE : 0) | (atomic ? DH_WIRE_ATOMIC : 0);
}

/* A race with an earlier access to the bytes `mask` of the granule. */
static DH_COLD void state(const struct dh_rt_access *a, unsigned grade, dh_record first,
			  unsigned mask, unsigned first_flags)
{
	struct dh_self *t = a->t;
	uintptr_t granule = a->addr & ~(uintptr_t)7;
	unsigned both = dh_mask_of(a->addr, a->size) & mask;
	struct dh_race_facts f = {
	    .grade = grade,
	    .address = granule + (unsigned)__builtin_ctz(both),
	    .size = (unsigned)__builtin_popcount(both),
	    .second = {.site = a->site,
		       .address = a->addr,
		       .size = a->size,
		       .flags = wire_flags(a->step.write, a->flags & DH_ACCESS_ATOMIC)},
	    .first = {.site = dh_record_site(first),
		      .address = granule + (unsigned)__builtin_ctz(mask),
		      .size = (unsigned)__builtin_popcount(mask),
		      .flags = first_flags,
		      .thread = dh_thread_by_epoch(dh_record_slot(first),
						   dh_record_clock(first))},
	    .first_slot = dh_record_slot(first),
	    .first_clock = dh_record_clock(first),
	};
	dh_race_state(t, &f);
}

void dh_rt_used_freed(struct dh_rt_access *a, dh_rt_word w)
{
	if (!dh_rt_before(a->t->vc, w))
		state(a, DH_WIRE_OBSERVED, dh_rt_label(w) | dh_rt_info(w), DH_WHOLE,
		      DH_WIRE_WRITE | DH_WIRE_FREE);
}

/* ---- the strong order ---- */

static void judge_cells(const struct dh_rt_access *a)
{
	uintptr_t granule = a->aside | DH_SHADOW_ASIDE;
	unsigned mask = dh_mask_of(a->addr, a->size), flags = a->flags;
	if (!(flags & DH_ACCESS_ATOMIC)) {
		enum dh_first f =
		    dh_access_quick(a->t, granule, mask, a->step.write, a->pc);
		if (DH_LIKELY(f == DH_FIRST_DONE))
			return;
		flags |= dh_first_flags(f);
	}
	dh_access_bytes(a->t, granule, mask, flags, a->pc);
}

/* ---- the weak order ---- */

struct search {
	const struct dh_rt_access *a;
	struct dh_rt_past found;
	bool any, open; /* found; and the strong order does not have it */
	/* Of all that other threads did to the granule and the weak order leaves open: */
	bool others, wrote; /* there is some; a write among it, or the access at hand */
	uint32_t common;    /* locks that were held at each of them, and now */
};

/* Did another thread do it, and does the weak order leave that open? */
static bool is_open(const struct dh_rt_access *a, const struct dh_rt_past *p)
{
	const struct dh_rt_step *step = &a->step;
	return !dh_record_atomic(p->rec) && !dh_record_same_slot(p->rec, step->epoch) &&
	       !dh_is_ordered(step->weak, p->rec);
}

/* Does it conflict with the access, too? */
static bool conflicts(const struct dh_rt_access *a, const struct dh_rt_past *p)
{
	return (dh_record_mask(p->rec) & dh_mask_of(a->addr, a->size)) &&
	       (p->write || a->step.write) && is_open(a, p);
}

/* Is it what the access could have met in another order of the locks? */
static void compare(const struct dh_rt_past *p, void *with)
{
	struct search *s = with;
	const struct dh_rt_step *step = &s->a->step;
	if (s->any || !is_open(s->a, p))
		return;
	s->others = true;
	s->wrote |= p->write;
	s->common = dh_lockset_intersect(dh_rt_locksets, s->common,
					 dh_rt_modes_protecting(p->locks, p->write));
	if (!conflicts(s->a, p) || !dh_is_ordered(step->vc, p->rec) ||
	    dh_rt_modes_exclude(p->locks, dh_rt_of(s->a->t)->with))
		return;
	s->found = *p;
	s->any = true;
}

static void take_worst(const struct dh_rt_past *p, void *with)
{
	struct search *s = with;
	bool open = !dh_is_ordered(s->a->step.vc, p->rec);
	if (s->open || !conflicts(s->a, p) || (s->any && !open))
		return;
	s->found = *p;
	s->any = true;
	s->open = open;
}

static DH_COLD void search(struct search *s, dh_rt_told *f)
{
	uint32_t n = DH_LOAD(&dh_slot_count);
	uintptr_t granule = s->a->addr & ~(uintptr_t)7;
	for (uint32_t slot = 1; slot < n; slot++)
		dh_rt_diary_each(slot,
				 dh_rt_diary_ranges(slot, granule, granule + DH_GRANULE),
				 granule, f, s);
	if (s->a->aside)
		dh_rt_direct_each(s->a->t, s->a->aside, f, s);
}

void dh_rt_state_last(const struct dh_rt_access *a, bool again)
{
	struct search s = {.a = a};
	search(&s, take_worst);
	if (s.any)
		state(a, s.open ? DH_WIRE_OBSERVED : DH_WIRE_POTENTIAL, s.found.rec,
		      dh_record_mask(s.found.rec), wire_flags(s.found.write, false));
	else if (!again)
		state(a, DH_WIRE_POTENTIAL, 0, DH_WHOLE, DH_WIRE_WRITE);
}

/* The word of a field whose race was told: by whom, and how many have been since the
 * first. */
static dh_rt_word told(const struct dh_rt_access *a, dh_rt_word w)
{
	uint32_t more = dh_rt_state(w) == DH_RT_TOLD ? dh_rt_info(w) + 1 : 0;
	return dh_rt_make(DH_RT_TOLD, a->step.epoch, more, 0);
}

/* The same where there was nothing to tell. One label is enough where nobody else did
 * anything to it that is still open, or all had locks in common, or none wrote. */
static dh_rt_word untold(const struct search *s, dh_rt_word next)
{
	const struct dh_rt_step *step = &s->a->step;
	unsigned flags = s->wrote ? DH_RT_WROTE : 0;
	if (dh_rt_state(next) == DH_RT_TOLD)
		return next;
	if (!s->others)
		return next & ~(dh_rt_word)DH_RT_MIXED;
	if (s->common != DH_LOCKSET_EMPTY || !s->wrote)
		return dh_rt_make(DH_RT_LOCKED, step->epoch, s->common, flags);
	return next | DH_RT_MIXED;
}

/* Asks the diaries, and states what they have; the word of the field then. */
static DH_NOINLINE dh_rt_word look_back(const struct dh_rt_access *a, dh_rt_word w,
					dh_rt_word next)
{
	struct search s = {.a = a, .common = a->step.locks, .wrote = a->step.write};
	search(&s, compare);
	if (!s.any)
		return untold(&s, next);
	state(a, DH_WIRE_POTENTIAL, s.found.rec, dh_record_mask(s.found.rec),
	      wire_flags(s.found.write, false));
	return told(a, w);
}

static void judge_word(const struct dh_rt_access *a)
{
	dh_rt_word *field = dh_rt_field(a->aside, true);
	bool suspect;
	if (!field)
		return;
	dh_rt_word w = DH_LOAD(field);
	for (;;) {
		dh_rt_word next = dh_rt_field_step(&a->step, w, &suspect);
		if (suspect)
			next = look_back(a, w, next);
		if (next == w)
			return;
		if (__atomic_compare_exchange_n(field, &w, next, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return;
	}
}

void dh_rt_judge_field(struct dh_rt_access *a)
{
	judge_cells(a);
	if (!(a->flags & DH_ACCESS_ATOMIC))
		judge_word(a);
}

/* To a whole granule, where the cell has one record of each kind at most, which the
 * access comes after. False: nothing was done. */
DH_INLINE bool access_whole(struct dh_self *t, uintptr_t granule, bool write,
			    dh_record rec, uint64_t pc)
{
	struct dh_cell *c = dh_flat_cell(granule);
	if (DH_UNLIKELY(!c || t->alike))
		return false;
	dh_record last = DH_LOAD(&c->write), read = DH_LOAD(&c->read);
	if (!(last | read) || !dh_is_ordered(t->vc, last) || !dh_is_ordered(t->vc, read))
		return false;
	if (write ? !DH_SWAP(&c->write, last, rec) : !DH_SWAP(&c->read, read, rec))
		return false;
	bool met = write ? DH_LOAD(&c->read) != read : DH_LOAD(&c->write) != last;
	if (DH_UNLIKELY(met))
		dh_access_bytes(t, granule, DH_WHOLE,
				(write ? DH_ACCESS_WRITE : 0) | DH_ACCESS_AGAIN, pc);
	else if (write && read)
		DH_STORE(&c->read, 0);
	return true;
}

static void access_cells(struct dh_self *t, uintptr_t granule, unsigned mask, bool write,
			 uint32_t site, uint64_t pc)
{
	if (mask == DH_WHOLE &&
	    access_whole(t, granule, write, dh_record_make(t->epoch, mask, false, site),
			 pc))
		return;
	enum dh_first f = dh_access_quick(t, granule, mask, write, pc);
	if (DH_UNLIKELY(f != DH_FIRST_DONE))
		dh_access_bytes(t, granule, mask,
				(write ? DH_ACCESS_WRITE : 0) | dh_first_flags(f), pc);
}

/* Does the access leave the word of the field as it is, but for who was last, which of
 * LOCKED says little? */
DH_INLINE bool stays_locked(const struct dh_rt_thread *me, dh_rt_word w, bool write)
{
	const uint64_t kind = ((uint64_t)DH_RT_INFO_MAX << DH_RT_INFO_SHIFT) | 7;
	if (w & DH_RT_MIXED)
		return false;
	return dh_rt_has_locks(me, w,
			       write) || /* or several have read it, without any: */
	       (!write && (w & (kind | DH_RT_WROTE)) == DH_RT_LOCKED);
}

bool dh_rt_judge_own(struct dh_self *t, dh_rt_word object, uintptr_t start,
		     uintptr_t addr, unsigned size, bool write, uint32_t site,
		     uint64_t pc)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	if (dh_rt_state(object) != DH_RT_FINE ||
	    (DH_UNLIKELY(object & DH_RT_DIRECT) && !me->level))
		return false;
	uintptr_t granule = addr & ~(uintptr_t)7,
		  aside = dh_rt_aside(object) + granule - start;
	dh_rt_word *field = dh_rt_field(aside, true);
	dh_rt_word w = field ? DH_LOAD(field) : 0;
	bool own = dh_record_same_slot(w, t->epoch) && dh_rt_state(w) == DH_RT_OWNED &&
		   !(w & DH_RT_MIXED);
	bool locked = !me->level && stays_locked(me, w, write);
	if (!own && !locked && (!me->level || dh_rt_state(w) == DH_RT_TOLD || !field))
		return false;
	me->granule = granule;
	access_cells(t, aside | DH_SHADOW_ASIDE, dh_mask_of(addr, size), write, site, pc);
	me->counts[DH_RT_FIELD_LEVEL]++;
	if (!locked)
		DH_STORE(field, me->own[write] | (own ? dh_rt_flags(w) : 0));
	return true;
}
