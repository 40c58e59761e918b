/* SPDX-License-Identifier: MIT */
/* See direct.h. */
#include "runtime/racetrack/direct.h"
#include "runtime/attempt.h"
#include "runtime/blend.h"

/* ---- frames ---- */

/* For each clock of a slot a bit: had the frame direct accesses? Made when first needed.
 */
enum { BYTES = (DH_RECORD_CLOCK_MAX + 1) / 8 };
static uint8_t *frames[DH_SLOTS]; /* atomic */

static bool had_direct(dh_record r)
{
	const uint8_t *at = __atomic_load_n(&frames[dh_record_slot(r)], __ATOMIC_ACQUIRE);
	uint32_t clock = dh_record_clock(r);
	return at && (DH_LOAD(&at[clock / 8]) >> clock % 8 & 1);
}

/* Only the thread that has the slot notes something. */
static bool note_frame(uint64_t epoch)
{
	uint32_t slot = dh_record_slot(epoch), clock = dh_record_clock(epoch);
	uint8_t *at = DH_LOAD(&frames[slot]);
	if (!at) {
		at = dh_shadow_reserve(BYTES);
		if (!at)
			return false;
		__atomic_store_n(&frames[slot], at, __ATOMIC_RELEASE);
	}
	DH_STORE(&at[clock / 8], (uint8_t)(at[clock / 8] | 1 << clock % 8));
	return true;
}

/* ---- beginning and end ---- */

void dh_rt_direct_allow(struct dh_self *t, struct dh_line *l, dh_rt_word w)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	uint32_t length;
	uintptr_t start, line = dh_line_number(l->key) << DH_LINE_BITS;
	dh_rt_word *word = dh_rt_seen_word(l->seen, line, &start, &length);
	if (!me->level || me->all != DH_LOCKSET_EMPTY || !word || start != line ||
	    length != DH_RT_LINE || t->alike || t->state->in_lane ||
	    dh_rt_aside(w) >> DH_PIECE_BITS ||
	    !dh_flat_cell(dh_rt_aside(w) | DH_SHADOW_ASIDE))
		return;
	if (me->direct != t->epoch && !note_frame(t->epoch))
		return;
	me->direct = t->simply = t->epoch;
	if ((w & DH_RT_DIRECT) ||
	    __atomic_compare_exchange_n(word, &w, w | DH_RT_DIRECT, false,
					__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		l->direct = w | DH_RT_DIRECT;
}

void dh_rt_direct_end(struct dh_self *t, bool lock)
{
	if (dh_rt_of(t)->direct != t->epoch)
		return;
	if (lock)
		dh_thread_tick_slow(t);
	else
		t->simply = 0;
}

dh_rt_word dh_rt_direct_settle(const struct dh_rt_object *o, dh_rt_word w)
{
	uintptr_t aside = dh_rt_aside(w);
	for (uintptr_t at = aside; at < aside + o->length; at += DH_GRANULE) {
		dh_rt_word *field = dh_rt_field(at, true);
		dh_rt_word was = field ? DH_LOAD(field) : 0;
		if (field && dh_rt_state(was) != DH_RT_TOLD)
			DH_STORE(field, was ? was | DH_RT_MIXED
					    : dh_rt_make(DH_RT_OWNED, 0, 0, DH_RT_MIXED));
	}
	dh_rt_word settled = w & ~(dh_rt_word)DH_RT_DIRECT;
	__atomic_compare_exchange_n(o->word, &w, settled, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_RELAXED);
	return settled;
}

/* ---- accesses ---- */

/* The granule of the program that is aside at this address, by what the thread uses
 * directly; 0 where that is no more. */
static uintptr_t granule_of(const struct dh_self *t, uintptr_t aside)
{
	const struct dh_lines *ls = &t->lines;
	uintptr_t stretch = aside & ~(uintptr_t)(DH_RT_LINE - 1);
	const struct dh_line *last = dh_line_of(ls, ls->last >> DH_LINE_BITS);
	for (uint32_t i = (uint32_t)(last - ls->at), n = 0; n <= ls->mask;
	     n++, i = (i + 1) & ls->mask) {
		const struct dh_line *l = &ls->at[i];
		uintptr_t line = dh_line_number(l->key) << DH_LINE_BITS;
		if (l->direct && dh_rt_aside(l->direct) == stretch &&
		    dh_line_is_direct(l, line))
			return (line | (aside - stretch)) & ~(uintptr_t)7;
	}
	return 0;
}

void dh_rt_direct_access(struct dh_self *t, uintptr_t addr, size_t size, unsigned flags,
			 uint64_t pc)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	uintptr_t granule = addr & ~(uintptr_t)7;
	unsigned mask = dh_mask_of(addr, (unsigned)size);
	me->granule = granule_of(t, granule & ~DH_SHADOW_ASIDE);
	if (!me->granule)
		return;
	if (!(flags & DH_ACCESS_AGAIN)) {
		enum dh_first f =
		    dh_access_quick(t, granule, mask, flags & DH_ACCESS_WRITE, pc);
		if (f == DH_FIRST_DONE)
			return;
		flags |= dh_first_flags(f);
	}
	dh_access_bytes(t, granule, mask, flags, pc);
}

/* ---- what they were ---- */

static void tell_word(const struct dh_attempt *a, dh_record word, unsigned mask,
		      bool write, dh_rt_told *f, void *with)
{
	dh_record room[DH_OWN_PLACES];
	uint32_t count;
	const dh_record *at = dh_reads_items(a, word, write, room, &count);
	for (uint32_t i = 0; at && i < count; i++) {
		dh_record r = DH_LOAD(&at[i]);
		if (!r || dh_record_is_tag(r) || !had_direct(r))
			continue;
		if (a->level) /* where it is for all bytes of its unit */
			r = (r | DH_ABSENT_FIELD) & ~((uint64_t)mask << DH_ABSENT_SHIFT);
		r |= dh_sets_site(word);
		f(&(struct dh_rt_past){dh_blend_part(r, dh_record_mask(r) & mask),
				       DH_LOCKSET_EMPTY, write, false},
		  with);
	}
}

static void tell_cell(struct dh_attempt *a, const struct dh_cell *c, unsigned mask,
		      dh_rt_told *f, void *with)
{
	dh_record write = DH_LOAD(&c->write);
	if (!dh_tag_of(write))
		tell_word(a, write, mask, true, f, with);
	tell_word(a, dh_reads_settled(c), mask, false, f, with);
}

void dh_rt_direct_each(struct dh_self *t, uintptr_t aside, dh_rt_told *f, void *with)
{
	uintptr_t granule = aside | DH_SHADOW_ASIDE;
	const struct dh_cell *c = dh_shadow_find(granule, false);
	struct dh_attempt a = {.self = t, .granule = granule, .unit = granule};
	const dh_record split = c ? dh_split_settled(c) : 0;
	if (c && !split)
		tell_cell(&a, c, DH_WHOLE, f, with);
	if (!split)
		return;
	a.level = dh_tag_level(dh_split_kind(split));
	unsigned unit = 1u << dh_level_shift(a.level);
	c = dh_split_parts(split);
	for (unsigned at = 0; at < DH_GRANULE; at += unit, c++) {
		a.unit = granule + at;
		tell_cell(&a, c, ((1u << unit) - 1) << at, f, with);
	}
}
