/* SPDX-License-Identifier: MIT */
/* See judge.h. */
#include "runtime/racetrack/judge.h"
#include "runtime/access.h"
#include "runtime/atomic_access.h"
#include "runtime/flags.h"
#include "runtime/racetrack/aside.h"
#include "runtime/racetrack/direct.h"
#include "runtime/racetrack/fields.h"
#include "runtime/racetrack/figure4.h"
#include "runtime/racetrack/held.h"
#include "runtime/racetrack/lines.h"
#include "runtime/racetrack/modes.h"
#include "runtime/racetrack/objects.h"
#include "runtime/racetrack/refine.h"
#include "runtime/racetrack/step.h"

void dh_rt_leave_trace(struct dh_self *t)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	uint32_t slot = dh_record_slot(t->epoch), clock = dh_record_clock(t->epoch);
	t->dirty |= DH_DIRTY_RECORD;
	if (DH_UNLIKELY(me->slot != slot))
		dh_rt_diary_take(me, slot);
	if (DH_LOAD(&dh_rt_latest[slot].clock) != clock)
		DH_STORE(&dh_rt_latest[slot].clock, clock);
}

/* Do these locks stand for an order of all who hold them? */
static bool protects(uint32_t locks)
{
	return locks != DH_LOCKSET_EMPTY && DH_LIKELY(!dh_rt_held_doubtful(locks));
}

DH_NOINLINE void dh_rt_begin_frame(struct dh_self *t)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	dh_rt_leave_trace(t);
	dh_rt_lines_settle(t);
	me->counts[DH_RT_TICKS] += me->ticked && me->ticked != t->epoch;
	me->ticked = t->epoch;
	uint32_t all = me->locks[0] = dh_rt_locks(me, false),
		 held = me->locks[1] = dh_rt_locks(me, true);
	uint32_t modes = dh_rt_modes_make(me, all, held);
	me->with = DH_LIKELY(modes < DH_RT_INFO_MAX) ? modes : DH_LOCKSET_EMPTY;
	me->noted[0] = (uint64_t)me->with << DH_RT_ENTRY_READ;
	me->noted[1] = (uint64_t)me->with << DH_RT_ENTRY_WRITE;
	me->own[0] = dh_rt_make(DH_RT_OWNED, t->epoch, all, 0);
	me->own[1] = dh_rt_make(DH_RT_OWNED, t->epoch, held, DH_RT_WROTE);
	bool by_all = protects(all), by_held = held == all ? by_all : protects(held);
	me->locked[0] = by_all ? dh_rt_make(DH_RT_LOCKED, 0, all, 0) : DH_RT_NEVER;
	me->locked[1] =
	    by_held ? dh_rt_make(DH_RT_LOCKED, t->epoch, held, DH_RT_WROTE) : DH_RT_NEVER;
	me->near[0].granule = me->near[1].granule = 0;
	me->epoch = t->epoch;
}

/* ---- objects ---- */

/* Would an access of this thread leave the word as it is? False may be wrong. */
DH_INLINE bool stays(const struct dh_self *t, const struct dh_rt_thread *me, dh_rt_word w,
		     bool write)
{
	if (dh_rt_is_owned(me, w, write))
		return true;
	if (dh_rt_is_locked(me, w, write))
		return write || dh_rt_before(t->vc, w);
	return !write && dh_rt_state(w) == DH_RT_READ &&
	       (dh_rt_info(w) & dh_rt_reader(t->epoch)) && dh_rt_before(t->vc, w);
}

static void count_object(struct dh_rt_thread *me, const struct dh_self *t, dh_rt_word w)
{
	me->counts[DH_RT_OBJECT_LEVEL]++;
	me->counts[DH_RT_IN_OWNED] +=
	    dh_rt_state(w) == DH_RT_OWNED && dh_record_same_slot(w, t->epoch);
}

static void refine(const struct dh_rt_access *a, const struct dh_rt_object *o,
		   dh_rt_word w, dh_rt_word untold)
{
	uintptr_t from = a->addr & ~(uintptr_t)7;
	struct dh_rt_at_hand at_hand = {from, DH_MAX(a->to, from + DH_GRANULE),
					a->step.write, a->site};
	dh_rt_refine(a->t, o, w, untold, at_hand);
}

/* The word does not go by locks any more. Who took them after it was asked who had them,
 * and found the word as it was, has left no trace but in its diary: so that is asked once
 * more afterwards. */
static bool drops_locks(dh_rt_word w, dh_rt_word next)
{
	return dh_rt_state(w) == DH_RT_LOCKED && dh_rt_state(next) != DH_RT_LOCKED;
}

/* Judges the access on the object, whose word is then a->left. False where that is
 * refined, and the fields' turn. */
static bool judge_object(struct dh_rt_access *a, const struct dh_rt_object *o)
{
	struct dh_rt_thread *me = dh_rt_of(a->t);
	for (;;) {
		dh_rt_word w = a->left = dh_rt_settled(o);
		if (dh_rt_state(w) == DH_RT_FINE)
			return false;
		if (dh_rt_state(w) == DH_RT_FREED) {
			me->counts[DH_RT_OBJECT_LEVEL]++;
			dh_rt_used_freed(a, w);
			return true;
		}
		dh_rt_word next = dh_rt_object_step(&a->step, w);
		if (next == DH_RT_FINE) {
			refine(a, o, w, a->step.untold);
			continue;
		}
		if (next != w && !dh_rt_swap(o->word, w, next))
			continue;
		if (DH_UNLIKELY(drops_locks(w, next)) &&
		    dh_rt_object_step(&a->step, w) != next) {
			refine(a, o, next, 0);
			continue;
		}
		count_object(me, a->t, w);
		a->left = next;
		me->counts[DH_RT_HANDED] += a->step.handed;
		return true;
	}
}

/* The same where the word may be as the thread would leave it. */
DH_INLINE bool judge_quick(struct dh_rt_access *a, const struct dh_rt_object *o)
{
	struct dh_rt_thread *me = dh_rt_of(a->t);
	a->left = DH_LOAD(o->word);
	if (!stays(a->t, me, a->left, a->step.write))
		return judge_object(a, o);
	count_object(me, a->t, a->left);
	return true;
}

static void judge_fields(struct dh_rt_access *a, const struct dh_rt_object *o)
{
	struct dh_rt_thread *me = dh_rt_of(a->t);
	me->counts[DH_RT_FIELD_LEVEL]++;
	me->granule = a->addr & ~(uintptr_t)7;
	if (DH_UNLIKELY(a->left & DH_RT_DIRECT) && !me->level)
		a->left = dh_rt_direct_settle(o, a->left);
	a->aside = dh_rt_aside(a->left) + (me->granule - o->start);
	dh_rt_judge_field(a);
}

/* ---- one access ---- */

/* To be called before anything is noted; the site of the access. */
DH_INLINE uint32_t begin(struct dh_self *t, struct dh_rt_thread *me, uint64_t pc)
{
	uint32_t site = dh_site_at_hand(t, pc);
	t->dirty |= DH_DIRTY_RECORD;
	if (DH_UNLIKELY(me->epoch != t->epoch))
		dh_rt_begin_frame(t);
	return DH_LIKELY(site != 0) ? site : dh_thread_site(t, pc);
}

/* The line of addr. */
DH_INLINE struct dh_line *take_line(struct dh_self *t, uintptr_t addr)
{
	if (DH_UNLIKELY(!t->lines.at))
		dh_rt_of(t)->lines = dh_rt_lines_make(t);
	return dh_rt_line_take(t, addr);
}

static void set_step(struct dh_rt_access *a)
{
	const struct dh_rt_thread *me = dh_rt_of(a->t);
	bool write = a->flags & DH_ACCESS_WRITE;
	a->step = (struct dh_rt_step){.epoch = a->t->epoch,
				      .vc = a->t->vc,
				      .weak = me->weak,
				      .sealed = me->level ? UINT32_MAX : me->sealed,
				      .locks = me->locks[write],
				      .write = write};
}

static void note(const struct dh_rt_access *a)
{
	struct dh_rt_thread *me = dh_rt_of(a->t);
	bool atomic = a->flags & DH_ACCESS_ATOMIC;
	dh_rt_diary_note(
	    me, dh_rt_entry_of(me->diary, a->addr, a->size == DH_GRANULE), a->addr,
	    a->step.write,
	    dh_record_make(a->t->epoch, dh_mask_of(a->addr, a->size), atomic, a->site));
}

/* ---- atomic accesses ---- */

/* What the thread knows of a granule; or what it knew of another one. */
static struct dh_rt_use *use_of(struct dh_rt_thread *me, uintptr_t granule)
{
	return &me->uses[(granule >> 3 ^ granule >> 9) % DH_RT_USES];
}

/* The cell of a granule of a refined object, where that is known; NULL else. */
static struct dh_cell *used_cell(struct dh_rt_thread *me, uintptr_t granule)
{
	const struct dh_rt_use *u = use_of(me, granule);
	return u->granule == granule && DH_LOAD(u->word) == u->fine ? u->cell : NULL;
}

/* The same, where it is in this object, whose word is w. */
static struct dh_cell *find_cell(struct dh_rt_thread *me, const struct dh_rt_object *o,
				 dh_rt_word w, uintptr_t granule)
{
	uintptr_t aside = dh_rt_aside(w) + (granule - o->start);
	struct dh_cell *c = dh_flat_cell(aside | DH_SHADOW_ASIDE);
	if (c)
		*use_of(me, granule) = (struct dh_rt_use){granule, o->word, w, c};
	return c;
}

/* An atomic access to a field of which that is known, or a write and the cell knows
 * nothing but such. The diaries are for when an object is refined, which this one is.
 * False where nothing was done. */
static bool judge_atomic_field(struct dh_self *t, struct dh_cell *c, uintptr_t addr,
			       unsigned size, bool write, uint64_t pc)
{
	unsigned mask = dh_mask_of(addr, size);
	if (dh_cell_repeats(c, t->epoch | DH_ATOMIC_FLAG, mask, write)) {
		t->lines.repeats++;
		return true;
	}
	if (!write ||
	    !dh_first_atomic_write(t, c, dh_record_make(t->epoch, mask, true, 0), 0, pc))
		return false;
	dh_rt_of(t)->counts[DH_RT_FIELD_LEVEL]++;
	return true;
}

/* In this time frame: all there is to an atomic one, whose order is told apart. */
static bool is_atomic_repeat(struct dh_self *t, uintptr_t addr, unsigned size, bool write)
{
	struct dh_rt_diary *d = dh_rt_of(t)->diary;
	const struct dh_rt_entry *e = dh_rt_entry_of(d, addr, size == DH_GRANULE);
	uint64_t epoch = t->epoch | DH_ATOMIC_FLAG;
	unsigned mask = dh_mask_of(addr, size);
	if (DH_LOAD(&e->key) != addr ||
	    (!dh_record_covers(DH_LOAD(&e->write), epoch, mask) &&
	     (write || !dh_record_covers(DH_LOAD(&e->read), epoch, mask))))
		return false;
	t->lines.repeats++;
	return true;
}

/* Where the object has to be looked for. */
static DH_NOINLINE void judge_atomic(struct dh_self *t, uintptr_t addr, unsigned size,
				     unsigned flags, uint64_t pc)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	struct dh_rt_access a = {
	    .t = t, .addr = addr, .size = size, .flags = flags, .pc = pc};
	struct dh_rt_object o;
	a.site = begin(t, me, pc);
	if (!dh_rt_line_find(take_line(t, addr), addr, &o))
		return;
	dh_rt_word w = DH_LOAD(o.word);
	if (dh_rt_state(w) == DH_RT_FINE) {
		struct dh_cell *c = find_cell(me, &o, w, addr & ~(uintptr_t)7);
		if (c &&
		    judge_atomic_field(t, c, addr, size, flags & DH_ACCESS_WRITE, pc))
			return;
	}
	if (is_atomic_repeat(t, addr, size, flags & DH_ACCESS_WRITE))
		return;
	set_step(&a);
	a.step.heap = o.heap;
	note(&a);
	if (!judge_quick(&a, &o))
		judge_fields(&a, &o);
}

void dh_rt_judge_atomic(struct dh_self *t, uintptr_t addr, unsigned size, unsigned flags,
			uint64_t pc)
{
	bool write = flags & DH_ACCESS_WRITE;
	if (!write && is_atomic_repeat(t, addr, size, false)) /* no cell to renew */
		return;
	dh_rt_lines_settle(t);
	struct dh_cell *c = used_cell(dh_rt_of(t), addr & ~(uintptr_t)7);
	if (!c || !judge_atomic_field(t, c, addr, size, write, pc))
		judge_atomic(t, addr, size, flags, pc);
}

bool dh_rt_is_unknown(struct dh_self *t, uintptr_t granule)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	struct dh_rt_object o;
	dh_rt_lines_settle(t);
	const struct dh_cell *c = used_cell(me, granule);
	if (c)
		return !dh_is_ordered(t->vc, DH_LOAD(&c->write));
	if (!dh_rt_line_find(take_line(t, granule), granule, &o))
		return false;
	dh_rt_word w = dh_rt_settled(&o);
	if (dh_rt_state(w) != DH_RT_FINE)
		return dh_rt_state(w) != DH_RT_FREED && (w & DH_RT_WROTE) &&
		       !dh_rt_before(t->vc, w);
	c = find_cell(me, &o, w, granule);
	if (!c)
		c = dh_shadow_find(
		    (dh_rt_aside(w) + (granule - o.start)) | DH_SHADOW_ASIDE, false);
	return c && !dh_is_ordered(t->vc, DH_LOAD(&c->write));
}

/* ---- one plain access ---- */

void dh_rt_judge_paper(struct dh_self *t, uintptr_t addr, unsigned size, unsigned flags,
		       uint64_t pc)
{
	struct dh_rt_access a = {
	    .t = t, .addr = addr, .size = size, .flags = flags, .pc = pc};
	a.site = begin(t, dh_rt_of(t), pc);
	set_step(&a);
	note(&a);
	dh_rt_figure4_judge(&a);
}

/* Notes an access to some bytes of a granule. False where it is a repeat. */
DH_INLINE bool note_line(struct dh_self *t, struct dh_line *l, uintptr_t addr,
			 unsigned size, bool write)
{
	uint32_t bits = dh_rt_unit_bits(addr, size);
	if (size == DH_GRANULE || (size == 4 && bits)) {
		if (!(bits & ~DH_LINE_HAS(l, write)))
			return false;
	} else if (!dh_rt_byte_line_note(t, addr, size, write)) {
		return false;
	}
	DH_LINE_ADD(l, bits, write);
	return true;
}

/* The access is noted, and its object may not stay as it is. */
static DH_NOINLINE void judge_plain(struct dh_self *t, const struct dh_rt_object *o,
				    uintptr_t addr, unsigned size, uintptr_t to,
				    bool write, uint32_t site, uint64_t pc)
{
	struct dh_rt_access a = {.t = t,
				 .addr = addr,
				 .size = size,
				 .to = to,
				 .flags = write ? DH_ACCESS_WRITE : 0,
				 .pc = pc,
				 .site = site};
	set_step(&a);
	a.step.heap = o->heap;
	if (!judge_quick(&a, o))
		judge_fields(&a, o);
}

/* The access is noted, in its line too; so is more of it, up to `to`, where that is not
 * 0.
 */
DH_INLINE void judge_noted(struct dh_self *t, struct dh_line *l, uintptr_t addr,
			   unsigned size, uintptr_t to, bool write, uint32_t site,
			   uint64_t pc)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	struct dh_rt_object o;
	if (DH_UNLIKELY(!dh_rt_line_find(l, addr, &o)))
		return;
	dh_rt_word w = DH_LOAD(o.word);
	if (dh_rt_state(w) != DH_RT_FINE &&
	    (stays(t, me, w, write) || dh_rt_renews(t, me, o.word, w, write, o.heap)))
		count_object(me, t, w);
	else if (!dh_rt_judge_own(t, w, o.start, addr, size, write, site, pc))
		judge_plain(t, &o, addr, size, to, write, site, pc);
	else if (me->level)
		dh_rt_direct_allow(t, l, w);
}

DH_INLINE void note_plain(struct dh_self *t, struct dh_rt_thread *me, uintptr_t addr,
			  unsigned size, bool write, uint32_t site)
{
	dh_record rec = dh_record_make(t->epoch, dh_mask_of(addr, size), false, site);
	me->counts[DH_RT_ACCESSES]++;
	dh_rt_diary_note(me, dh_rt_entry_of(me->diary, addr, size == DH_GRANULE), addr,
			 write, rec);
}

void dh_rt_judge_noted(struct dh_self *t, struct dh_line *l, uintptr_t addr,
		       unsigned size, uintptr_t to, bool write, uint32_t site,
		       uint64_t pc)
{
	dh_rt_of(t)->counts[DH_RT_ACCESSES]++;
	judge_noted(t, l, addr, size, to, write, site, pc);
}

void dh_rt_judge_first(struct dh_self *t, struct dh_line *l, uintptr_t addr,
		       unsigned size, bool write, uint64_t pc)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	uint32_t site = begin(t, me, pc);
	note_plain(t, me, addr, size, write, site);
	judge_noted(t, l, addr, size, 0, write, site, pc);
}

void dh_rt_judge(struct dh_self *t, uintptr_t addr, unsigned size, bool write,
		 uint64_t pc)
{
	struct dh_line *l = take_line(t, addr);
	if (note_line(t, l, addr, size, write))
		dh_rt_judge_first(t, l, addr, size, write, pc);
	else
		t->lines.repeats++;
}

/* ---- a range ---- */

/* Some of a short range, in one line, from one boundary of parts to another. */
struct piece {
	struct dh_self *t;
	struct dh_line *l;
	uint64_t pc;
	uint32_t site;	      /* 0: nothing was noted so far */
	uintptr_t first, end; /* what was noted, and perhaps repeats in between */
};

/* What lies at `at` is about to be noted. */
DH_INLINE void begin_piece(struct piece *p, uintptr_t at)
{
	if (p->site)
		return;
	p->site = begin(p->t, dh_rt_of(p->t), p->pc);
	p->first = at;
}

/* Notes one part, unless it is a repeat. */
DH_INLINE void note_part(struct piece *p, uintptr_t at, unsigned size, bool write)
{
	struct dh_rt_thread *me = dh_rt_of(p->t);
	if (!note_line(p->t, p->l, at, size, write)) {
		p->t->lines.repeats++;
		return;
	}
	begin_piece(p, at);
	note_plain(p->t, me, at, size, write, p->site);
	p->end = at + size;
}

/* The bits of whole granules of a line. */
DH_INLINE uint32_t granule_bits(uintptr_t from, uintptr_t to)
{
	uint32_t n = (uint32_t)(to - from) / 4;
	return (uint32_t)(((uint64_t)1 << n) - 1) << (from >> 2 & 31);
}

/* The same for whole granules: at once, where none of them is a repeat. */
DH_INLINE void note_granules(struct piece *p, uintptr_t from, uintptr_t to, bool write)
{
	struct dh_rt_thread *me = dh_rt_of(p->t);
	uint32_t bits = granule_bits(from, to);
	if (DH_UNLIKELY(bits & DH_LINE_HAS(p->l, write))) {
		for (uintptr_t at = from; at < to; at += DH_GRANULE)
			note_part(p, at, DH_GRANULE, write);
		return;
	}
	DH_LINE_ADD(p->l, bits, write);
	begin_piece(p, from);
	me->counts[DH_RT_ACCESSES] += (to - from) / DH_GRANULE;
	dh_record rec = dh_record_make(p->t->epoch, DH_WHOLE, false, p->site);
	for (uintptr_t at = from; at < to; at += DH_GRANULE)
		dh_rt_diary_note(me, dh_rt_entry_of(me->diary, at, true), at, write, rec);
	p->end = to;
}

/* Is it an object that the access leaves as it is, or with a new label alone? */
DH_INLINE bool stays_object(const struct piece *p, const struct dh_rt_object *o,
			    bool write)
{
	struct dh_rt_thread *me = dh_rt_of(p->t);
	dh_rt_word w = DH_LOAD(o->word);
	if (!stays(p->t, me, w, write) && !dh_rt_renews(p->t, me, o->word, w, write, o->heap))
		return false;
	count_object(me, p->t, w);
	return true;
}

/* All of it is noted before any of it is judged, so that who refines an object of it
 * knows the rest to be at hand. */
DH_INLINE void judge_parts(struct dh_self *t, uintptr_t from, uintptr_t to, bool write,
			   uint64_t pc)
{
	struct piece p = {.t = t, .l = take_line(t, from), .pc = pc};
	struct dh_rt_object o;
	uintptr_t at = from, whole = to & ~(uintptr_t)7;
	unsigned size;
	if (at % DH_GRANULE) {
		note_part(&p, at, size = dh_rt_run_of(at, to), write);
		at += size;
	}
	if (at < whole) {
		note_granules(&p, at, whole, write);
		at = whole;
	}
	if (at < to)
		note_part(&p, at, (unsigned)(to - at), write);
	for (at = p.first; p.site && at < p.end;) {
		if (dh_rt_line_find(p.l, at, &o) && stays_object(&p, &o, write)) {
			at = o.start + o.length;
			continue;
		}
		size = dh_rt_run_of(at, to);
		judge_noted(t, p.l, at, size, to, write, p.site, pc);
		at += size;
	}
}

void dh_rt_judge_short(struct dh_self *t, uintptr_t from, uintptr_t to, bool write,
		       uint64_t pc)
{
	for (uintptr_t at = from, end; at < to; at = end) {
		end = DH_MIN(to, (at | (DH_RT_LINE - 1)) + 1);
		if (write)
			judge_parts(t, at, end, true, pc);
		else
			judge_parts(t, at, end, false, pc);
	}
}

/* The part of a range in one line. */
static void judge_in_line(struct dh_rt_access *a, struct dh_line *l, uintptr_t from,
			  uintptr_t to)
{
	struct dh_rt_object o;
	for (uintptr_t at = from, end; at < to; at = end) {
		end = to;
		if (!dh_rt_line_find(l, at, &o))
			continue;
		end = DH_MIN(to, o.start + o.length);
		a->addr = at;
		a->step.heap = o.heap;
		a->step.handed = false;
		if (judge_quick(a, &o))
			continue;
		for (; a->addr < end; a->addr += DH_GRANULE) {
			note(a);
			judge_fields(a, &o);
		}
	}
}

void dh_rt_judge_range(struct dh_self *t, uintptr_t from, uintptr_t to, unsigned flags,
		       uint64_t pc)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	bool write = flags & DH_ACCESS_WRITE, noted = false;
	struct dh_rt_access a = {
	    .t = t, .size = DH_GRANULE, .to = to, .flags = flags, .pc = pc};
	for (uintptr_t at = from, end; at < to; at = end) {
		end = DH_MIN(to, (at | (DH_RT_LINE - 1)) + 1);
		struct dh_line *l = take_line(t, at);
		uint32_t bits = granule_bits(at, end);
		if (!(bits & ~DH_LINE_HAS(l, write))) {
			t->lines.repeats++;
			continue;
		}
		me->counts[DH_RT_ACCESSES]++;
		if (!noted) {
			a.site = begin(t, me, pc);
			set_step(&a);
			dh_rt_diary_range(
			    me, from, to, write,
			    dh_record_make(t->epoch, DH_WHOLE, false, a.site));
			noted = true;
		}
		DH_LINE_ADD(l, bits, write);
		judge_in_line(&a, l, at, end);
	}
}
