/* SPDX-License-Identifier: MIT */
/* See judge.h. */
#include "runtime/racetrack/judge.h"
#include "runtime/access.h"
#include "runtime/flags.h"
#include "runtime/racetrack/diary.h"
#include "runtime/racetrack/fields.h"
#include "runtime/racetrack/figure4.h"
#include "runtime/racetrack/lines.h"
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
		a->left = w;
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
			a->left = next;
			me->counts[DH_RT_HANDED] += a->step.handed;
			return true;
		}
	}
}

/* ---- one access ---- */

static void begin(struct dh_rt_access *a)
{
	struct dh_self *t = a->t;
	struct dh_rt_thread *me = dh_rt_of(t);
	bool write = a->flags & DH_ACCESS_WRITE;
	uint32_t site = dh_site_at_hand(t, a->pc);
	a->site = DH_LIKELY(site != 0) ? site : dh_thread_site(t, a->pc);
	a->step = (struct dh_rt_step){.epoch = t->epoch,
				      .vc = t->vc,
				      .weak = me->weak,
				      .locks = dh_rt_locks(me, write),
				      .write = write};
	leave_trace(t, me);
}

/* The line has these bytes now; and the word, if it is the line's alone. */
static void note_line(struct dh_rt_line *l, const struct dh_rt_access *a, uint32_t bits,
		      const struct dh_rt_object *o, bool fine)
{
	bool whole = !fine && o->size == DH_RT_LINE && o->base % DH_RT_LINE == 0 &&
		     dh_rt_state(a->left) != DH_RT_FREED;
	*(a->step.write ? &l->written : &l->read) |= bits;
	l->word = whole ? o->word : NULL;
	l->seen = a->left;
}

/* The same where the word of the line stays as it is. True if so. */
static bool stays(struct dh_rt_thread *me, struct dh_rt_line *l, bool write,
		  uint32_t bits)
{
	if (!dh_rt_line_stays(l, write))
		return false;
	me->counts[DH_RT_OBJECT_LEVEL]++;
	me->counts[DH_RT_IN_OWNED] += dh_rt_state(l->seen) == DH_RT_OWNED;
	*(write ? &l->written : &l->read) |= bits;
	return true;
}

void dh_rt_judge(struct dh_self *t, uintptr_t addr, unsigned size, unsigned flags,
		 uint64_t pc)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	struct dh_rt_object o;
	bool write = flags & DH_ACCESS_WRITE, atomic = flags & DH_ACCESS_ATOMIC;
	uint32_t bits = atomic ? 0 : dh_rt_line_bits(addr, size);
	struct dh_rt_access a = {
	    .t = t, .addr = addr, .size = size, .flags = flags, .pc = pc};
	begin(&a);
	dh_record rec = dh_record_make(t->epoch, dh_mask_of(addr, size), atomic, a.site);
	dh_rt_diary_note(me, dh_rt_entry_of(me->diary, addr, size == DH_GRANULE), addr,
			 write, rec);
	if (DH_UNLIKELY(dh_flags.racetrack != DH_RACETRACK_FULL)) {
		if (!atomic)
			dh_rt_figure4_judge(&a); /* which wants to see repeats too */
		return;
	}
	struct dh_rt_line *l = bits ? dh_rt_line_take(me, addr) : NULL;
	if ((l && stays(me, l, write, bits)) || !dh_rt_object_find(addr, &o))
		return;
	a.step.heap = o.heap;
	bool fine = !judge_object(&a, &o);
	if (l)
		note_line(l, &a, bits, &o, fine);
	if (!fine)
		return;
	me->counts[DH_RT_FIELD_LEVEL]++;
	dh_rt_judge_field(&a);
}

/* ---- a range ---- */

/* The part of a range in one line; bits are those of that part. */
static void judge_in_line(struct dh_rt_access *a, struct dh_rt_line *l, uintptr_t from,
			  uintptr_t to, uint32_t bits)
{
	struct dh_rt_object o;
	for (uintptr_t at = from, end; at < to; at = end) {
		end = to;
		if (!dh_rt_object_find(at, &o))
			continue;
		end = DH_MIN(to, o.base + o.size);
		a->addr = at;
		a->step.heap = o.heap;
		a->step.handed = false;
		bool fine = !judge_object(a, &o);
		for (uintptr_t g = at; fine && g < end; g += DH_GRANULE)
			dh_rt_judge(a->t, g, DH_GRANULE, a->flags, a->pc);
		note_line(l, a, at == from ? bits : 0, &o, fine);
	}
}

void dh_rt_judge_range(struct dh_self *t, uintptr_t from, uintptr_t to, unsigned flags,
		       uint64_t pc)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	bool write = flags & DH_ACCESS_WRITE, noted = false;
	struct dh_rt_access a = {.t = t, .size = DH_GRANULE, .flags = flags, .pc = pc};
	for (uintptr_t at = from, end; at < to; at = end) {
		end = DH_MIN(to, (at | (DH_RT_LINE - 1)) + 1);
		struct dh_rt_line *l = dh_rt_line_take(me, at);
		uint32_t bits = dh_rt_line_range(at, end);
		me->counts[DH_RT_ACCESSES]++;
		if (dh_rt_line_has(l, bits, write)) {
			me->counts[DH_RT_REPEATED]++;
			continue;
		}
		if (!noted) {
			begin(&a);
			dh_rt_diary_range(
			    me, from, to, write,
			    dh_record_make(t->epoch, DH_WHOLE, false, a.site));
			noted = true;
		}
		if (!stays(me, l, write, bits))
			judge_in_line(&a, l, at, end, bits);
	}
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
	dh_rt_lines_forget(dh_rt_of(t), base, base + size);
	dh_rt_objects_each(base, base + size, end_object, &e);
}

/* ---- fresh memory ---- */

static void start_object(struct dh_rt_object *o, void *with)
{
	bool full = *(const bool *)with;
	dh_rt_word w = full ? dh_rt_settled(o) : DH_LOAD(o->word);
	struct dh_rt_object whole;
	if (!w)
		return;
	if (!full || dh_rt_state(w) == DH_RT_FREED) {
		DH_STORE(o->word, 0);
		return;
	}
	bool all = dh_rt_object_find(o->base, &whole) && whole.base == o->base &&
		   whole.size == o->size;
	reset(o, w, all ? 0 : w, only_slot(w));
}

void dh_rt_fresh(uintptr_t addr, size_t size)
{
	bool full = dh_flags.racetrack == DH_RACETRACK_FULL;
	if (!full) {
		dh_rt_fields_clear(addr, addr + size);
		dh_rt_diaries_forget(0, addr, addr + size);
	}
	dh_rt_objects_each(addr, addr + size, start_object, &full);
}
