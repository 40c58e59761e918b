/* SPDX-License-Identifier: MIT */
/* See life.h. */
#include "runtime/racetrack/life.h"
#include "runtime/access.h"
#include "runtime/flags.h"
#include "runtime/racetrack/aside.h"
#include "runtime/racetrack/diary.h"
#include "runtime/racetrack/figure4.h"
#include "runtime/racetrack/judge.h"
#include "runtime/racetrack/lines.h"
#include "runtime/racetrack/refine.h"
#include "runtime/racetrack/step.h"

/* ---- the end of memory ---- */

struct end {
	struct dh_self *t;
	uint32_t site;
	uint64_t pc;	/* 0: not judged */
	uintptr_t base; /* of all of it */
};

/* Are all that used the object ordered before the present? If not, *untold is what
 * dh_rt_refine() asks for. */
static bool is_over(const struct dh_self *t, dh_rt_word w, dh_rt_word *untold)
{
	if (dh_rt_state(w) == DH_RT_OWNED && dh_record_same_slot(w, t->epoch))
		return true;
	struct dh_rt_step s = {.epoch = t->epoch,
			       .vc = t->vc,
			       .weak = t->vc,
			       .sealed = UINT32_MAX,
			       .locks = dh_rt_locks(dh_rt_of(t), true),
			       .write = true};
	bool over = dh_rt_object_step(&s, w) != DH_RT_FINE;
	*untold = s.untold;
	return over;
}

/* Has nobody but the thread ever used the object? */
static bool is_private(const struct dh_self *t, dh_rt_word w)
{
	return dh_rt_state(w) == DH_RT_OWNED && !(w & DH_RT_KNOWN) &&
	       dh_record_same_slot(w, t->epoch);
}

/* Makes the object's word `to`, and forgets all that happened to its bytes. */
static void reset(const struct dh_rt_object *o, dh_rt_word was, dh_rt_word to)
{
	bool fine = dh_rt_state(was) == DH_RT_FINE;
	uintptr_t aside = dh_rt_aside(was), from = aside + (o->base - o->start);
	if (fine && to == was)
		dh_rt_aside_clear(from, from + o->size);
	dh_rt_diaries_forget(o->base, o->base + o->size);
	__atomic_store_n(o->word, to, __ATOMIC_RELEASE);
	if (fine && to != was)
		dh_rt_aside_give(aside, o->length);
	if (was && !is_private(dh_thread_self(), was))
		dh_rt_lines_reused();
}

static void end_fields(const struct end *e, const struct dh_rt_object *o, dh_rt_word w)
{
	uintptr_t aside = dh_rt_aside(w) - o->start;
	for (uintptr_t g = o->base; g < o->base + o->size; g += DH_GRANULE) {
		uintptr_t at = (aside + g) | DH_SHADOW_ASIDE;
		const struct dh_cell *c = dh_shadow_find(at, false);
		dh_rt_of(e->t)->granule = g;
		if (c && (DH_LOAD(&c->write) || DH_LOAD(&c->read)))
			dh_access_bytes(e->t, at, DH_WHOLE,
					DH_ACCESS_WRITE | DH_ACCESS_FREE, e->pc);
	}
}

static void end_object(struct dh_rt_object *o, void *with)
{
	const struct end *e = with;
	dh_rt_word w = dh_rt_settled(o), untold;
	dh_rt_word freed = dh_rt_make(DH_RT_FREED, e->t->epoch, e->site, DH_RT_WROTE);
	if (!e->pc) {
		if (w)
			reset(o, w, 0);
		return;
	}
	if (dh_rt_state(w) == DH_RT_FREED)
		return;
	if (w && dh_rt_state(w) != DH_RT_FINE && !is_over(e->t, w, &untold))
		dh_rt_refine(e->t, o, w, untold, (struct dh_rt_at_hand){.write = true});
	w = dh_rt_settled(o);
	if (dh_rt_state(w) == DH_RT_FINE)
		end_fields(e, o, w);
	if (w || o->base - e->base < DH_END_MARKED)
		reset(o, w, freed);
}

void dh_rt_end(struct dh_self *t, uintptr_t base, size_t size, uint32_t site, uint64_t pc)
{
	struct end e = {.t = t, .site = site, .pc = pc, .base = base};
	if (pc)
		dh_rt_leave_trace(t);
	dh_rt_lines_forget(t, base, base + size);
	dh_rt_objects_each(base, base + size, end_object, &e);
}

/* ---- fresh memory ---- */

static void start_object(struct dh_rt_object *o, void *with)
{
	bool full = *(const bool *)with;
	/* Of a block no load: who gets it writes the word soon (dh_rt_use_pages()). */
	if (o->heap ? dh_rt_swap(o->word, 0, 0) : !DH_LOAD(o->word))
		return;
	dh_rt_word w = full ? dh_rt_settled(o) : DH_LOAD(o->word);
	if (!full) {
		dh_rt_figure4_drop(w);
		dh_rt_diaries_forget(o->base, o->base + o->size);
	}
	if (!full || dh_rt_state(w) == DH_RT_FREED) {
		DH_STORE(o->word, 0);
		return;
	}
	reset(o, w, o->size == o->length ? 0 : w);
}

static void forget_granule(uintptr_t granule, dh_rt_word was)
{
	dh_rt_figure4_drop(was);
	dh_rt_diaries_forget(granule, granule + DH_GRANULE);
}

/* A block that ends with its word, and that nobody has used since it was freed. Its page may
 * never have been used before: a look at it, and then a store, would be two faults, of which
 * the second is felt by all processors. */
static bool start_tailed(uintptr_t base)
{
	const struct dh_slab *s = dh_slab_of(base);
	if (!s || !s->tailed)
		return false;
	dh_rt_word *word = dh_slab_tail(s, base);
	const dh_rt_word w = __atomic_exchange_n(word, 0, __ATOMIC_RELAXED);
	if (!w || dh_rt_state(w) == DH_RT_FREED)
		return true;
	DH_STORE(word, w);
	return false;
}

void dh_rt_start_block(uintptr_t base, size_t size)
{
	if (dh_flags.racetrack != DH_RACETRACK_FULL || !start_tailed(base))
		dh_rt_fresh(base, size);
}

void dh_rt_fresh(uintptr_t addr, size_t size)
{
	bool full = dh_flags.racetrack == DH_RACETRACK_FULL;
	if (!full)
		dh_rt_fields_clear(addr, addr + size, forget_granule);
	dh_rt_objects_each(addr, addr + size, start_object, &full);
}
