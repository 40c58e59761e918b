/* SPDX-License-Identifier: MIT */
/* See judge.h. */
#include "runtime/racetrack/judge.h"
#include "runtime/access.h"
#include "runtime/racetrack/diary.h"
#include "runtime/racetrack/fields.h"
#include "runtime/racetrack/objects.h"
#include "runtime/racetrack/refine.h"
#include "runtime/racetrack/step.h"

static bool swap(dh_rt_word *place, dh_rt_word old, dh_rt_word new)
{
	return __atomic_compare_exchange_n(place, &old, new, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

/* Something of this time frame is on record: it has to end at the next release. */
static void leave_trace(struct dh_self *t, struct dh_rt_thread *me)
{
	uint32_t slot = dh_record_slot(t->epoch), clock = dh_record_clock(t->epoch);
	t->dirty |= DH_DIRTY_RECORD;
	if (DH_UNLIKELY(me->slot != slot))
		dh_rt_diary_take(me, slot);
	if (DH_LOAD(&dh_rt_latest[slot]) != clock)
		DH_STORE(&dh_rt_latest[slot], clock);
}

/* ---- objects ---- */

/* Judges the access on the object. False where that is refined, and the fields' turn. */
static bool judge_object(struct dh_rt_access *a, const struct dh_rt_object *o)
{
	struct dh_rt_thread *me = dh_rt_of(a->t);
	dh_rt_word w = DH_LOAD(o->word), next;
	for (;; w = DH_LOAD(o->word)) {
		enum dh_rt_state state = dh_rt_state(w);
		if (state == DH_RT_BUSY)
			w = dh_rt_settled(o), state = dh_rt_state(w);
		if (state == DH_RT_FINE)
			return false;
		me->counts[DH_RT_OBJECT_LEVEL]++;
		if (state == DH_RT_FREED) {
			dh_rt_used_freed(a, w);
			return true;
		}
		me->counts[DH_RT_IN_OWNED] +=
		    state == DH_RT_OWNED && dh_record_same_slot(w, a->t->epoch);
		next = dh_rt_object_step(&a->step, w);
		if (next == w)
			return true;
		if (next == DH_RT_FINE) {
			if (dh_rt_refine(a->t, o, w, a->addr & ~(uintptr_t)7,
					 a->step.write))
				return false;
		} else if (swap(o->word, w, next)) {
			me->counts[DH_RT_HANDED] += a->step.handed;
			return true;
		}
	}
}

void dh_rt_judge(struct dh_self *t, uintptr_t addr, unsigned size, unsigned flags,
		 uint64_t pc)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	struct dh_rt_object o;
	bool write = flags & DH_ACCESS_WRITE, atomic = flags & DH_ACCESS_ATOMIC;
	uint32_t site = dh_site_at_hand(t, pc);
	struct dh_rt_access a = {
	    .t = t,
	    .addr = addr,
	    .size = size,
	    .flags = flags,
	    .pc = pc,
	    .site = site ? site : dh_thread_site(t, pc),
	    .step = {.epoch = t->epoch,
		     .vc = t->vc,
		     .weak = me->weak,
		     .locks = dh_rt_locks(me, write),
		     .write = write},
	};
	leave_trace(t, me);
	dh_record rec = dh_record_make(t->epoch, dh_mask_of(addr, size), atomic, a.site);
	dh_rt_diary_note(me, dh_rt_entry_of(me->diary, addr, size == DH_GRANULE), addr,
			 write, rec);
	if (!dh_rt_object_find(addr, &o))
		return;
	a.step.heap = o.heap;
	if (judge_object(&a, &o))
		return;
	me->counts[DH_RT_FIELD_LEVEL]++;
	dh_rt_judge_field(&a);
}

/* ---- the end of memory ---- */

struct end {
	struct dh_self *t;
	uint32_t site;
	uint64_t pc;	/* 0: not judged */
	uintptr_t base; /* of all of it */
};

/* Are all that used the object ordered before the present? */
static bool is_over(const struct dh_self *t, dh_rt_word w)
{
	struct dh_rt_step s = {
	    .epoch = t->epoch, .vc = t->vc, .weak = t->vc, .write = true};
	return dh_rt_object_step(&s, w) != DH_RT_FINE;
}

/* Makes the object's word `to`, and forgets all that happened to its bytes. */
static void reset(const struct dh_rt_object *o, dh_rt_word was, dh_rt_word to,
		  uint32_t slot)
{
	if (dh_rt_state(was) == DH_RT_FINE)
		dh_rt_fields_forget(o->base, o->base + o->size);
	dh_rt_diaries_forget(slot, o->base, o->base + o->size);
	__atomic_store_n(o->word, to, __ATOMIC_RELEASE);
}

/* Whose diaries may have something of the object: its slot where that is one, else 0. */
static uint32_t only_slot(dh_rt_word w)
{
	return dh_rt_state(w) == DH_RT_OWNED && !(w & DH_RT_KNOWN) ? dh_record_slot(w)
								   : 0;
}

static void end_fields(const struct end *e, const struct dh_rt_object *o)
{
	for (uintptr_t g = o->base; g < o->base + o->size; g += DH_GRANULE) {
		const struct dh_cell *c = dh_shadow_find(g | DH_SHADOW_ASIDE, 0, false);
		if (c && (DH_LOAD(&c->write) || DH_LOAD(&c->read)))
			dh_access_bytes(e->t, g | DH_SHADOW_ASIDE, DH_WHOLE,
					DH_ACCESS_WRITE | DH_ACCESS_FREE, e->pc);
	}
}

static void end_object(struct dh_rt_object *o, void *with)
{
	const struct end *e = with;
	dh_rt_word w = dh_rt_settled(o);
	dh_rt_word freed = dh_rt_make(DH_RT_FREED, e->t->epoch, e->site, DH_RT_WROTE);
	if (!e->pc) {
		if (w)
			reset(o, w, 0, only_slot(w));
		return;
	}
	if (dh_rt_state(w) == DH_RT_FREED)
		return;
	if (w && dh_rt_state(w) != DH_RT_FINE && !is_over(e->t, w))
		dh_rt_refine(e->t, o, w, 0, true);
	w = dh_rt_settled(o);
	if (dh_rt_state(w) == DH_RT_FINE)
		end_fields(e, o);
	if (w || o->base - e->base < DH_END_MARKED)
		reset(o, w, freed, w ? only_slot(w) : dh_record_slot(e->t->epoch));
}

void dh_rt_end(struct dh_self *t, uintptr_t base, size_t size, uint32_t site, uint64_t pc)
{
	struct end e = {.t = t, .site = site, .pc = pc, .base = base};
	if (pc)
		leave_trace(t, dh_rt_of(t));
	dh_rt_objects_each(base, base + size, end_object, &e);
}

/* ---- fresh memory ---- */

static void start_object(struct dh_rt_object *o, void *with)
{
	(void)with;
	dh_rt_word w = dh_rt_settled(o);
	struct dh_rt_object whole;
	if (!w)
		return;
	if (dh_rt_state(w) == DH_RT_FREED) {
		DH_STORE(o->word, 0);
		return;
	}
	bool all = dh_rt_object_find(o->base, &whole) && whole.base == o->base &&
		   whole.size == o->size;
	reset(o, w, all ? 0 : w, only_slot(w));
}

void dh_rt_fresh(uintptr_t addr, size_t size)
{
	dh_rt_objects_each(addr, addr + size, start_object, NULL);
}
