/* SPDX-License-Identifier: MIT */
/*
 * Engine `racetrack` in the running program: RaceTrack (Yu, Rodeheffer, Chen; SOSP 2005)
 * with adaptive granularity, on native memory. The hooks of observer.h; see rt.h for the
 * parts.
 */
#include "runtime/observer.h"
#include "base/mem.h"
#include "runtime/access.h"
#include "runtime/flags.h"
#include "runtime/racetrack/aside.h"
#include "runtime/racetrack/diary.h"
#include "runtime/racetrack/direct.h"
#include "runtime/racetrack/figure4.h"
#include "runtime/racetrack/held.h"
#include "runtime/racetrack/judge.h"
#include "runtime/racetrack/life.h"
#include "runtime/racetrack/lines.h"
#include "runtime/racetrack/objects.h"
#include "runtime/racetrack/weak.h"
#include "runtime/report.h"

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_TABLES);
static struct dh_rt_thread *threads; /* under lock: those that run */
static uint64_t ended[DH_RT_COUNTS]; /* under lock: sums of the others */

/* ---- accesses ---- */

/* A power of two of bytes, aligned. */
DH_INLINE void access_part(struct dh_self *t, uintptr_t addr, unsigned size,
			   unsigned flags, uint64_t pc)
{
	bool full = dh_flags.racetrack == DH_RACETRACK_FULL;
	if (flags & DH_ACCESS_ATOMIC) {
		if (full)
			dh_rt_judge_atomic(t, addr, size, flags, pc);
	} else if (DH_LIKELY(full)) {
		dh_rt_judge(t, addr, size, flags & DH_ACCESS_WRITE, pc);
	} else {
		dh_rt_judge_paper(t, addr, size, flags, pc);
	}
}

/* In the settings of the paper, or atomic. */
static void access_parts(struct dh_self *t, uintptr_t from, uintptr_t to, unsigned flags,
			 uint64_t pc)
{
	unsigned size;
	for (uintptr_t at = from; at < to; at += size) {
		size = dh_rt_part_of(at, to);
		access_part(t, at, size, flags, pc);
	}
}

static DH_NOINLINE void access_range(struct dh_self *t, uintptr_t addr, size_t size,
				     unsigned flags, uint64_t pc)
{
	bool write = flags & DH_ACCESS_WRITE;
	uintptr_t end = addr + size, from = (addr + 7) & ~(uintptr_t)7,
		  to = end & ~(uintptr_t)7;
	if ((flags & DH_ACCESS_ATOMIC) || dh_flags.racetrack != DH_RACETRACK_FULL) {
		access_parts(t, addr, end, flags, pc);
	} else if (size < DH_RT_RANGE_LEAST + DH_GRANULE) {
		dh_rt_judge_short(t, addr, end, write, pc);
	} else {
		dh_rt_judge_short(t, addr, from, write, pc);
		dh_rt_judge_range(t, from, to, flags, pc);
		dh_rt_judge_short(t, to, end, write, pc);
	}
}

static void access(struct dh_self *t, uintptr_t addr, size_t size, unsigned flags,
		   uint64_t pc)
{
	if (DH_UNLIKELY(!dh_rt_of(t)))
		return;
	if (DH_UNLIKELY(addr & DH_SHADOW_ASIDE)) {
		dh_rt_direct_access(t, addr, size, flags, pc);
		return;
	}
	flags &= DH_ACCESS_WRITE | DH_ACCESS_ATOMIC;
	if (DH_LIKELY(size <= DH_GRANULE && !(size & (size - 1)) && !(addr & (size - 1))))
		access_part(t, addr, (unsigned)size, flags, pc);
	else
		access_range(t, addr, size, flags, pc);
}

/* From the entry points. */
static void first(struct dh_self *t, uintptr_t addr, unsigned how, uint64_t pc,
		  struct dh_cell *c)
{
	unsigned size = how & DH_TOLD_SIZE, flags = how >> DH_TOLD_FLAGS;
	bool full = dh_flags.racetrack == DH_RACETRACK_FULL;
	dh_enter_runtime(t);
	if (DH_LIKELY(full && !c && !(addr & (size - 1)) && dh_rt_of(t)))
		dh_rt_judge(t, addr, size, flags & DH_ACCESS_WRITE, pc);
	else
		access(t, addr, size, flags, pc);
	dh_leave_runtime(t);
}

/* ---- threads ---- */

static void start_thread(struct dh_self *t, uint32_t id)
{
	struct dh_rt_thread *me = dh_mem_alloc(sizeof *me);
	me->weak = dh_mem_alloc(DH_SLOTS * sizeof *me->weak);
	me->epoch = DH_RT_NO_FRAME;
	if (!t->lines.at && dh_flags.racetrack == DH_RACETRACK_FULL)
		me->lines = dh_rt_lines_make(t);
	t->state->observed = me;
	dh_rt_diary_take(me, dh_record_slot(t->epoch));
	dh_rt_weak_take(t, id);
	dh_rt_weak_compare(t);
	dh_lock(&lock);
	me->next = threads;
	threads = me;
	dh_unlock(&lock);
}

/* Adds what it has counted. */
static void add_counts(uint64_t *sum, const struct dh_rt_thread *me)
{
	for (int i = 0; i < DH_RT_COUNTS; i++)
		sum[i] += DH_LOAD(&me->counts[i]);
	uint64_t quick = DH_LOAD(&me->counts[DH_RT_QUICK]);
	sum[DH_RT_ACCESSES] += quick;
	sum[DH_RT_OBJECT_LEVEL] += quick;
	sum[DH_RT_IN_OWNED] += quick - DH_LOAD(&me->counts[DH_RT_QUICK_OTHERS]);
	if (!me->lines)
		return;
	sum[DH_RT_REPEATED] += DH_LOAD(&me->lines->repeats);
	sum[DH_RT_ACCESSES] += DH_LOAD(&me->lines->directs);
	sum[DH_RT_FIELD_LEVEL] += DH_LOAD(&me->lines->directs);
}

static void end_thread(struct dh_self *t, uint32_t id)
{
	struct dh_rt_thread *me = dh_rt_of(t), **link = &threads;
	if (!t->state->info->joined)
		dh_rt_weak_leave(t, id);
	t->state->observed = NULL;
	dh_rt_held_move(me, 0);
	dh_lock(&lock);
	while (*link != me)
		link = &(*link)->next;
	*link = me->next;
	add_counts(ended, me);
	dh_unlock(&lock);
	if (me->lines)
		dh_rt_lines_free(me->lines);
	dh_mem_free(me->weak, DH_SLOTS * sizeof *me->weak);
	dh_mem_free(me, sizeof *me);
}

/* ---- synchronisation ---- */

/* Does no other thread run? Then none can begin before this one makes it. */
static bool is_alone(const struct dh_rt_thread *me)
{
	dh_lock(&lock);
	bool alone = threads == me && !me->next;
	dh_unlock(&lock);
	return alone;
}

/* Can the thread know more of others after this step? */
static bool learns(enum dh_observed what)
{
	return what == DH_SEEN_LOCK || what == DH_SEEN_READ_LOCK ||
	       what == DH_SEEN_RECEIVE || what == DH_SEEN_BARRIER_LEAVE ||
	       what == DH_SEEN_FENCE || what == DH_SEEN_JOIN || what == DH_SEEN_ALL ||
	       what == DH_SEEN_LAST;
}

static void sync(struct dh_self *t, enum dh_observed what, uintptr_t object, uint64_t pc)
{
	(void)pc;
	struct dh_rt_thread *me = dh_rt_of(t);
	if (what == DH_SEEN_START) {
		start_thread(t, (uint32_t)object);
		return;
	}
	if (!me)
		return;
	me->counts[DH_RT_SYNCS]++;
	if (learns(what)) {
		dh_rt_direct_end(t, what == DH_SEEN_LOCK || what == DH_SEEN_READ_LOCK);
		dh_rt_lines_learn(t);
		me->level = me->compared = false; /* unless it finds out otherwise */
	}
	switch (what) {
	case DH_SEEN_LOCK:
	case DH_SEEN_READ_LOCK:
		dh_rt_held_take(me, object, what == DH_SEEN_LOCK);
		break;
	case DH_SEEN_UNLOCK:
	case DH_SEEN_READ_UNLOCK:
		dh_rt_held_leave(me, object, what == DH_SEEN_UNLOCK);
		break;
	case DH_SEEN_SEND:
		dh_rt_held_doubt(object);
		dh_rt_weak_send(t, object, false);
		me->frame = 0;
		break;
	case DH_SEEN_BARRIER_ENTER:
		dh_rt_weak_send(t, object, false);
		me->frame = 0;
		break;
	case DH_SEEN_RECEIVE:
	case DH_SEEN_BARRIER_LEAVE:
		dh_rt_weak_receive(t, object);
		break;
	case DH_SEEN_FENCE:
		dh_rt_weak_fence();
		break;
	case DH_SEEN_FORK:
		dh_rt_weak_leave(t, (uint32_t)object);
		me->frame = 0;
		break;
	case DH_SEEN_JOIN:
		dh_rt_weak_take(t, (uint32_t)object);
		if (is_alone(me))
			dh_rt_figure4_quiet();
		break;
	case DH_SEEN_ALL:
	case DH_SEEN_LAST: /* what is left is handed to it: exclusive, as to a finaliser
			    */
		dh_rt_weak_all(t);
		break;
	case DH_SEEN_END:
		end_thread(t, (uint32_t)object);
		break;
	default:
		break;
	}
}

static void atomic(struct dh_self *t, enum dh_observed_atomic what, uintptr_t addr,
		   unsigned size, int order, uint64_t pc)
{
	(void)size, (void)pc;
	struct dh_rt_thread *me = dh_rt_of(t);
	if (!me)
		return;
	if (!dh_rt_weak_atomic(t, what, addr, order))
		return;
	dh_rt_lines_learn(t);
	me->frame = 0;
}

/* ---- memory ---- */

static void alloc(struct dh_self *t, uintptr_t base, size_t size, uint32_t site)
{
	(void)site;
	struct dh_rt_thread *me = dh_rt_of(t);
	if (me) {
		me->counts[DH_RT_ALLOCATED]++;
		dh_rt_lines_forget(t, base, base + size);
	}
	dh_rt_start_block(base, size);
}

static void end(struct dh_self *t, uintptr_t base, size_t size, uint32_t site,
		uint64_t pc)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	if (me && dh_flags.racetrack == DH_RACETRACK_FULL) {
		uint64_t before = dh_rt_lines_reuses();
		dh_rt_end(t, base, size, site, pc);
		me->gone = dh_rt_lines_reuses() != before ? base : 0;
	} else {
		dh_rt_fresh(base, size);
	}
}

/* Whoever had used what is there now notes it anew. */
static void end_turns(void)
{
	dh_lock(&lock);
	for (struct dh_rt_thread *me = threads; me; me = me->next)
		if (me->lines)
			dh_rt_lines_end_turn(me->lines);
	dh_unlock(&lock);
}

static void fresh(uintptr_t addr, size_t size)
{
	struct dh_self *t = dh_thread_self();
	struct dh_rt_thread *me = t->state ? dh_rt_of(t) : NULL;
	uint64_t before = dh_rt_lines_reuses();
	dh_rt_fresh(addr, size);
	if (me)
		dh_rt_lines_forget(t, addr, addr + size);
	if (dh_rt_lines_reuses() != before || (me && me->gone == addr))
		end_turns();
}

/* ---- the run ---- */

static void start(struct dh_self *t)
{
	(void)t;
	dh_heap_tails = true;
	dh_rt_held_init();
	if (dh_flags.racetrack == DH_RACETRACK_FULL)
		dh_rt_aside_init();
	else
		dh_rt_figure4_init();
}

static uintptr_t granule(struct dh_self *t)
{
	return dh_rt_of(t)->granule;
}

static bool unknown(struct dh_self *t, uintptr_t at)
{
	return dh_rt_of(t) && dh_flags.racetrack == DH_RACETRACK_FULL &&
	       dh_rt_is_unknown(t, at);
}

static void forked(struct dh_self *t)
{
	if (dh_rt_of(t))
		dh_rt_weak_all(t);
}

static size_t counters(struct dh_report_counter *room, size_t max)
{
	uint64_t sum[DH_RT_COUNTS];
	dh_lock(&lock);
	dh_copy(sum, ended, sizeof sum);
	for (const struct dh_rt_thread *me = threads; me; me = me->next)
		add_counts(sum, me);
	dh_unlock(&lock);
	const struct dh_report_counter all[] = {
	    {"monitored_accesses", sum[DH_RT_ACCESSES] + sum[DH_RT_REPEATED], false},
	    {"repeated_accesses", sum[DH_RT_REPEATED], false},
	    {"object_level_accesses", sum[DH_RT_OBJECT_LEVEL], false},
	    {"object_level_own", sum[DH_RT_IN_OWNED], false},
	    {"field_level_accesses", sum[DH_RT_FIELD_LEVEL], false},
	    {"objects_allocated", sum[DH_RT_ALLOCATED], false},
	    {"objects_refined", sum[DH_RT_REFINED], false},
	    {"objects_spared", sum[DH_RT_SPARED], false},
	    {"objects_handed_over", sum[DH_RT_HANDED], false},
	    {"synchronisations", sum[DH_RT_SYNCS], false},
	    {"clock_ticks", sum[DH_RT_TICKS], false},
	    {"diary_forgotten", sum[DH_RT_FORGOTTEN], false},
	    {"threadsets_lost", dh_rt_figure4_lost(), true},
	    {"object_word_bytes", dh_rt_objects_bytes(), false},
	};
	size_t n = DH_MIN(max, DH_ARRAY_LEN(all));
	dh_copy(room, all, n * sizeof *all);
	return n;
}

const struct dh_observer dh_observer_racetrack = {
    .name = "racetrack",
    .start = start,
    .access = access,
    .first = first,
    .sync = sync,
    .atomic = atomic,
    .alloc = alloc,
    .free = end,
    .fresh = fresh,
    .granule = granule,
    .unknown = unknown,
    .forget = dh_rt_held_forget,
    .forked = forked,
    .counters = counters,
};
