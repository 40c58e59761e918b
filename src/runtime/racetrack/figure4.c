/* SPDX-License-Identifier: MIT */
/*
 * See figure4.h. States and words are those of engines/racetrack_state.h, the arrows as
 * in engines/racetrack_machine.c; here any number of threads move a word at a time, each
 * by a compare-and-swap on what it has judged.
 */
#include "runtime/racetrack/figure4.h"
#include "engines/racetrack_state.h"
#include "lockset/threadset.h"
#include "runtime/access.h"
#include "runtime/flags.h"
#include "runtime/heap_facts.h"
#include "runtime/racetrack/objects.h"

enum {
	SETS_MOST = 1 << 20,
	GARBAGE_MOST = 1 << 10, /* that is not worth a sweep */
	ENDS = 128,		/* the paper's m */
	LABELS_MOST = 64,	/* a larger set is more than anybody needs to tell */
};

static struct dh_threadset_table *sets;
static uint64_t lost; /* atomic */

/* A step, as the machine sees it. */
struct move {
	const struct dh_rt_step *s;
	struct dh_label label;
	bool lockset_only;
};

void dh_rt_figure4_init(void)
{
	sets = dh_threadset_table_new();
}

void dh_rt_figure4_drop(uint64_t word)
{
	if (dh_racetrack_state(word) == DH_RACETRACK_SHARED_MODIFY2)
		dh_threadset_unref(sets, dh_racetrack_extra(word));
}

void dh_rt_figure4_quiet(void)
{
	if (sets && dh_threadset_garbage(sets) > GARBAGE_MOST)
		dh_threadset_reclaim(sets);
}

uint64_t dh_rt_figure4_lost(void)
{
	return __atomic_load_n(&lost, __ATOMIC_RELAXED);
}

/* ---- labels ---- */

static bool is_before(const struct move *v, uint32_t slot, uint32_t clock)
{
	return slot == v->label.slot || v->s->weak[slot] >= clock;
}

/* S' of a threadset; returns its size. */
static uint32_t merge(const struct move *v, dh_threadset set, struct dh_label *out)
{
	uint32_t count, kept = 0;
	const struct dh_label *at = dh_threadset_items(sets, set, &count);
	bool placed = false;
	for (uint32_t i = 0; i < count && kept < LABELS_MOST - 1; i++) {
		if (is_before(v, at[i].slot, at[i].clock))
			continue;
		if (!placed && at[i].slot > v->label.slot) {
			out[kept++] = v->label;
			placed = true;
		}
		out[kept++] = at[i];
	}
	if (!placed)
		out[kept++] = v->label;
	return kept;
}

static bool room_for_sets(void)
{
	struct dh_threadset_stats stats;
	dh_threadset_get_stats(sets, &stats);
	if (DH_LIKELY(stats.kept < SETS_MOST))
		return true;
	__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
	return false;
}

/* ---- states ---- */

static dh_racetrack_words exclusive(const struct move *v, enum dh_racetrack_state state)
{
	return dh_racetrack_pack(state, v->label.slot, v->label.clock);
}

static dh_racetrack_words report(const struct move *v)
{
	return dh_racetrack_pack(DH_RACETRACK_REPORT_RACE, v->label.slot, 0);
}

static dh_racetrack_words modify1(const struct move *v, uint32_t locks)
{
	if (locks != DH_LOCKSET_EMPTY)
		return dh_racetrack_pack(DH_RACETRACK_SHARED_MODIFY1, locks, 0);
	return v->lockset_only ? report(v) : exclusive(v, DH_RACETRACK_EXCLUSIVE2);
}

static dh_racetrack_words modify2(const struct move *v, uint32_t locks,
				  const struct dh_label *labels, uint32_t count)
{
	if (locks == DH_LOCKSET_EMPTY)
		return report(v);
	if (!room_for_sets())
		return exclusive(v, DH_RACETRACK_EXCLUSIVE2);
	return dh_racetrack_pack(DH_RACETRACK_SHARED_MODIFY2, locks,
				 dh_threadset_make(sets, labels, count));
}

static dh_racetrack_words shared(const struct move *v, uint32_t locks)
{
	return v->s->write ? modify1(v, locks)
			   : dh_racetrack_pack(DH_RACETRACK_SHARED_READ, locks, 0);
}

static dh_racetrack_words from_exclusive2(const struct move *v, dh_racetrack_words w)
{
	struct dh_label old = {dh_racetrack_info(w), dh_racetrack_extra(w)};
	if (is_before(v, old.slot, old.clock))
		return exclusive(v, DH_RACETRACK_EXCLUSIVE2);
	bool first = old.slot < v->label.slot;
	struct dh_label both[2] = {first ? old : v->label, first ? v->label : old};
	return modify2(v, v->s->locks, both, 2);
}

static dh_racetrack_words from_modify2(const struct move *v, dh_racetrack_words w,
				       uint32_t met)
{
	struct dh_label labels[LABELS_MOST];
	uint32_t count = merge(v, dh_racetrack_extra(w), labels);
	if (count == 1)
		return exclusive(v, DH_RACETRACK_EXCLUSIVE2);
	return modify2(v, met, labels, count);
}

/* Section 3.6: after the report, the next accesses by other threads too. */
static dh_racetrack_words told_again(const struct move *v, dh_racetrack_words w)
{
	uint32_t more = dh_racetrack_extra(w);
	if (dh_racetrack_info(w) == v->label.slot || more >= DH_RT_MORE)
		return w;
	return dh_racetrack_pack(DH_RACETRACK_REPORT_RACE, v->label.slot, more + 1);
}

static dh_racetrack_words next(const struct move *v, dh_racetrack_words w)
{
	uint32_t info = dh_racetrack_info(w), met;
	switch (dh_racetrack_state(w)) {
	case DH_RACETRACK_VIRGIN:
		return dh_racetrack_pack(DH_RACETRACK_EXCLUSIVE0, v->label.slot, 0);
	case DH_RACETRACK_EXCLUSIVE0:
		if (info == v->label.slot)
			return w;
		return v->lockset_only ? shared(v, v->s->locks)
				       : exclusive(v, DH_RACETRACK_EXCLUSIVE1);
	case DH_RACETRACK_EXCLUSIVE1:
		if (is_before(v, info, dh_racetrack_extra(w)))
			return exclusive(v, DH_RACETRACK_EXCLUSIVE1);
		return shared(v, v->s->locks);
	case DH_RACETRACK_EXCLUSIVE2:
		return from_exclusive2(v, w);
	case DH_RACETRACK_REPORT_RACE:
		return told_again(v, w);
	default:
		break;
	}
	met = info == v->s->locks
		  ? info
		  : dh_lockset_intersect(dh_rt_locksets, info, v->s->locks);
	if (dh_racetrack_state(w) == DH_RACETRACK_SHARED_MODIFY2)
		return from_modify2(v, w, met);
	return dh_racetrack_state(w) == DH_RACETRACK_SHARED_READ ? shared(v, met)
								 : modify1(v, met);
}

/* Moves the word on. True where this access has led to Report-Race, or is to be told
 * there. */
static bool advance(const struct move *v, dh_rt_word *word)
{
	dh_racetrack_words w = DH_LOAD(word), to = next(v, w);
	while (to != w && !__atomic_compare_exchange_n(
			      word, &w, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		dh_rt_figure4_drop(to);
		to = next(v, w);
	}
	dh_rt_figure4_drop(w); /* where nothing has changed: what next() has made */
	return to != w && dh_racetrack_state(to) == DH_RACETRACK_REPORT_RACE;
}

/* ---- granularity ---- */

/* Section 3.5: of a long array only the ends and the middle. */
static bool is_left_out(uintptr_t addr)
{
	struct dh_heap_found f;
	if (!dh_heap_locate(addr, &f))
		return false;
	size_t n = (dh_heap_asked(&f) + 7) / 8, at = (addr - f.base) / 8;
	if (n <= 3 * ENDS)
		return false;
	return at >= ENDS && at < n - ENDS &&
	       (at < n / 2 - ENDS / 2 || at >= n / 2 + ENDS / 2);
}

/* False where the field is to be judged. */
static bool judge_object(const struct move *v, struct dh_rt_thread *me, uintptr_t addr)
{
	struct dh_rt_object o;
	if (!dh_rt_object_find(addr, &o))
		return true;
	dh_racetrack_words w = DH_LOAD(o.word);
	if (dh_racetrack_state(w) == DH_RACETRACK_REPORT_RACE)
		return is_left_out(addr);
	me->counts[DH_RT_OBJECT_LEVEL]++;
	me->counts[DH_RT_IN_OWNED] += dh_racetrack_state(w) == DH_RACETRACK_EXCLUSIVE0 &&
				      dh_racetrack_info(w) == v->label.slot;
	me->counts[DH_RT_REFINED] += advance(v, o.word);
	return true;
}

void dh_rt_figure4_judge(struct dh_rt_access *a)
{
	struct dh_rt_thread *me = dh_rt_of(a->t);
	uint32_t clock = dh_record_clock(a->step.epoch);
	if (!me->frame)
		me->frame = clock;
	struct move v = {.s = &a->step,
			 .label = {dh_record_slot(a->step.epoch), me->frame},
			 .lockset_only = dh_flags.racetrack == DH_RACETRACK_LOCKSET};
	if (dh_flags.racetrack == DH_RACETRACK_PAPER && judge_object(&v, me, a->addr))
		return;
	me->counts[DH_RT_FIELD_LEVEL]++;
	dh_rt_word *field = dh_rt_field(a->addr, true);
	if (field && advance(&v, field))
		dh_rt_state_last(a, dh_racetrack_extra(DH_LOAD(field)) > 0);
}
