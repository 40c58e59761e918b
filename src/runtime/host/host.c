/* SPDX-License-Identifier: MIT */
/* The host itself: start and end, guests, the way to the stream and back; see host.h. */
#include "runtime/host/host.h"
#include "report/wire.h"
#include "runtime/flags.h"
#include "runtime/host/engines.h"
#include "runtime/host/events.h"
#include "runtime/race.h"
#include "runtime/report.h"

/* dh_race_state() knows repeats too, by the places in the code. */
enum { REPEATS_MOST = 1 << 14 };

struct dh_host dh_host;
uint32_t dh_marks[1 << DH_MARK_BITS];
uint32_t dh_volatile_marks[1 << DH_MARK_BITS];

static struct dh_lock *const lock = &dh_host.lock;
DH_LOCKS_AROUND_FORK(host, &dh_host.lock, 1, sizeof dh_host.lock, DH_FORK_TABLES);

/* ---- guests ---- */

static DH_COLD struct dh_guest *guest_new(struct dh_self *t)
{
	struct dh_guest *g = dh_mem_alloc(sizeof *g);
	g->id = t->state->info->id;
	g->repeats.frame = 1;
	t->state->observed = g;
	dh_lock(lock);
	g->next = dh_host.guests;
	if (g->next)
		g->next->prev = g;
	dh_host.guests = g;
	dh_unlock(lock);
	return g;
}

struct dh_guest *dh_guest_of(struct dh_self *t)
{
	struct dh_guest *g = t->state->observed;
	return DH_LIKELY(g != NULL) ? g : guest_new(t);
}

void dh_guest_free(struct dh_guest *g)
{
	dh_host.repeats_kept_back += g->repeats.count;
	dh_host.events_shared += g->events;
	*(g->prev ? &g->prev->next : &dh_host.guests) = g->next;
	if (g->next)
		g->next->prev = g->prev;
	dh_vec_free(&g->held);
	dh_vec_free(&g->loaded);
	dh_vec_free(&g->exempt);
	dh_vec_free(&g->races);
	dh_mem_free(g, sizeof *g);
}

/* ---- events ---- */

void dh_host_feed(uint32_t id, enum dh_op op, uint32_t target, uint32_t site)
{
	struct dh_event ev = {
	    .index = dh_host.next++,
	    .thread = id,
	    .target = target,
	    .site = site,
	    .op = (uint8_t)op,
	};
	dh_events_note(&ev);
	dh_stream_feed(dh_host.stream, &ev);
}

/* The index is the guest's own count: nobody asks for another one (dh_stream_share). */
static struct dh_event event_of(const struct dh_guest *g, enum dh_op op, uint32_t target,
				uint32_t site)
{
	return (struct dh_event){
	    .index = g->events,
	    .thread = g->id,
	    .target = target,
	    .site = site,
	    .op = (uint8_t)op,
	};
}

/* Cells and notes come in one order: else what is analysed from the notes could be
 * another run, where steps of two threads are not ordered by the program. */
static bool step_shared(struct dh_guest *g, enum dh_op op, uint32_t target, uint32_t site)
{
	struct dh_event ev = event_of(g, op, target, site);
	dh_events_lock();
	bool done = dh_stream_sync_shared(dh_host.stream, &ev);
	if (done)
		dh_events_note(&ev);
	dh_events_unlock();
	g->events += done;
	return done;
}

bool dh_host_step(struct dh_guest *g, enum dh_op op, uint32_t target, uint32_t site,
		  bool alone)
{
	if (!alone)
		return step_shared(g, op, target, site);
	dh_host_feed(g->id, op, target, site);
	return true;
}

bool dh_host_touch(struct dh_guest *g, uint32_t var, bool write, uint32_t site)
{
	struct dh_event ev = event_of(g, write ? DH_WRITE : DH_READ, var, site);
	bool done = true;
	dh_gate_take(var);
	if (!dh_flags.stop_after_race || !dh_host.vars.at.at[var].reported) {
		done = dh_stream_access_shared(dh_host.stream, &ev);
		g->events += done;
		dh_events_lock();
		if (done)
			dh_events_note(&ev);
		dh_events_unlock();
	}
	dh_gate_give(var);
	return done;
}

bool dh_host_number(enum dh_name_kind kind, uintptr_t addr, bool alone, uint32_t *number)
{
	if (!alone)
		return dh_object_find(&dh_host.objects, kind, addr, number);
	*number = dh_object_number(&dh_host.objects, kind, addr);
	return true;
}

void dh_host_next_era(void)
{
	__atomic_store_n(&dh_host.era, dh_host.era + 1, __ATOMIC_RELEASE);
}

/* ---- races ---- */

static void on_race(void *context, struct dh_engine *e, const struct dh_race *race)
{
	(void)context, (void)e;
	const struct dh_self *t = dh_thread_self();
	struct dh_guest *g = t->state ? t->state->observed : NULL;
	struct dh_var *v = &dh_host.vars.at.at[race->var];
	v->reported = true;
	struct dh_host_race r = {.race = *race,
				 .address = v->addr,
				 .size = (unsigned)DH_MIN(v->size, (size_t)8),
				 .coarse = dh_vars_coarse(&dh_host.vars, race->var),
				 .suspended = g && g->lenient,
				 .freeing = g && g->freeing};
	if (g && g->shares)
		dh_vec_push(&g->races, r);
	else
		dh_vec_push(&dh_host.races, r);
}

static struct dh_race_side side_of(const struct dh_host_race *r,
				   const struct dh_mark *mark, bool write)
{
	return (struct dh_race_side){
	    .thread = dh_thread_by_id(mark->thread),
	    .site = mark->site,
	    .flags = write ? DH_WIRE_WRITE : 0,
	    .address = r->address,
	    .size = r->size,
	};
}

static void tell(struct dh_self *t, const struct dh_host_race *r)
{
	const struct dh_race *race = &r->race;
	struct dh_race_facts f = {
	    .grade = race->grade == DH_OBSERVED ? DH_WIRE_OBSERVED : DH_WIRE_POTENTIAL,
	    .address = r->address,
	    .size = r->size,
	    .second = side_of(r, &race->second, race->second_write),
	};
	if (race->has_first)
		f.first = side_of(r, &race->first, race->first_write);
	if (r->freeing)
		f.second.flags |= DH_WIRE_FREE;
	if (r->coarse)
		f.second.flags |= DH_WIRE_COARSE;
	if (r->suspended)
		f.second.flags |= DH_WIRE_SUSPENDED;
	dh_race_state(t, &f);
}

/* Takes them out before they are told: telling may come back here. */
static struct dh_host_races take_races(struct dh_host_races *from)
{
	struct dh_host_races races = *from;
	*from = (struct dh_host_races){0};
	return races;
}

static void tell_all(struct dh_self *t, struct dh_host_races *races)
{
	for (size_t i = 0; t->state && i < races->len; i++)
		tell(t, &races->at[i]);
	dh_vec_free(races);
}

/* ---- alone, and in the gate ---- */

void dh_host_enter(void)
{
	dh_gate_close();
}

static DH_COLD void leave_and_tell(struct dh_self *t)
{
	struct dh_host_races races = take_races(&dh_host.races);
	dh_gate_open();
	tell_all(t, &races);
}

void dh_host_leave(struct dh_self *t)
{
	const struct dh_engine_shared *shared = dh_host.engine->ops->shared;
	if (dh_host.shared && shared->due(dh_host.engine))
		shared->settle(dh_host.engine);
	if (DH_UNLIKELY(dh_host.races.len))
		leave_and_tell(t);
	else
		dh_gate_open();
}

bool dh_host_share(struct dh_guest *g)
{
	return dh_host.shared && dh_gate_enter(g);
}

void dh_host_unshare(struct dh_self *t, struct dh_guest *g)
{
	dh_gate_leave(g);
	if (DH_UNLIKELY(g->races.len)) {
		struct dh_host_races races = take_races(&g->races);
		tell_all(t, &races);
	}
}

void dh_host_unshare_step(struct dh_self *t, struct dh_guest *g)
{
	bool due = dh_host.engine->ops->shared->due(dh_host.engine);
	dh_host_unshare(t, g);
	if (DH_UNLIKELY(due)) {
		dh_host_enter();
		dh_host_leave(t);
	}
}

/* ---- start and end ---- */

static void start(struct dh_self *t)
{
	(void)t;
	const struct dh_hosted *hosted = dh_hosted_by_name(dh_observer->name);
	const struct dh_filter_ops *filter = dh_hosted_filter(dh_flags.filter);
	struct dh_stream_config config = {.on_race = on_race,
					  .repeats_most = REPEATS_MOST};
	dh_host.stream = dh_stream_new(&config);
	dh_host.engine = dh_stream_add(dh_host.stream, hosted->ops);
	if (filter)
		dh_stream_set_filter(dh_host.stream, filter)->limit = dh_flags.tree_limit;
	dh_host.shared = dh_stream_share(dh_host.stream);
	dh_host.rule = hosted->rule;
	DH_CHECK(!dh_host.shared || dh_host.rule == DH_REPEATS_FRAME);
	dh_host.repeats = dh_flags.filter == DH_FILTER_FRAME;
	dh_host.vars.granularity = (enum dh_granularity)dh_flags.granularity;
	dh_host.suspended = dh_flags.detection == DH_DETECTION_SUSPENDED;
	dh_host.off = dh_flags.detection == DH_DETECTION_OFF;
	dh_object_new(&dh_host.objects, DH_NAME_MESSAGE); /* steps.c has the first */
	dh_events_start(dh_flags.events);
}

static void finish(void)
{
	dh_gate_close();
	dh_events_finish();
	dh_gate_open();
}

struct list {
	struct dh_report_counter *at;
	size_t len, max;
};

static void add(struct list *l, const char *name, uint64_t value)
{
	if (l->len < l->max)
		l->at[l->len++] = (struct dh_report_counter){name, value, false};
}

static void add_all(struct list *l, const void *owner, const struct dh_counter *c)
{
	for (; c && c->name; c++)
		add(l, c->name, *(const uint64_t *)((const char *)owner + c->offset));
}

static size_t counters(struct dh_report_counter *room, size_t max)
{
	struct list l = {.at = room, .max = max};
	dh_gate_close();
	uint64_t repeats = dh_host.repeats_kept_back;
	uint64_t shared = dh_host.events_shared;
	for (const struct dh_guest *g = dh_host.guests; g; g = g->next) {
		repeats += __atomic_load_n(&g->repeats.count, __ATOMIC_RELAXED);
		shared += g->events;
	}
	if (dh_host.shared)
		dh_host.engine->ops->shared->tally(dh_host.engine);
	add(&l, "events", dh_host.stream->events + shared);
	if (dh_host.shared)
		add(&l, "events_side_by_side", shared);
	add(&l, "repeats_kept_back", repeats);
	add(&l, "variables", dh_host.vars.at.len - dh_host.vars.unused.len);
	add(&l, "variables_peak", dh_host.vars.peak);
	add(&l, "variables_split", dh_host.vars.splits);
	add(&l, "releases_forced", dh_host.releases_forced);
	add_all(&l, dh_host.engine, dh_host.engine->ops->counters);
	if (dh_host.stream->filter)
		add_all(&l, dh_host.stream->filter,
			dh_host.stream->filter->ops->counters);
	dh_gate_open();
	return l.len;
}

/* ---- the observers ---- */

#define OBSERVER(id, text)                                                               \
	const struct dh_observer dh_observer_##id = {                                    \
	    .name = text,                                                                \
	    .start = start,                                                              \
	    .access = dh_host_access,                                                    \
	    .sync = dh_host_sync,                                                        \
	    .atomic = dh_host_atomic,                                                    \
	    .alloc = dh_host_alloc,                                                      \
	    .free = dh_host_free,                                                        \
	    .fresh = dh_host_fresh,                                                      \
	    .unit = dh_host_unit,                                                        \
	    .detect = dh_host_detect,                                                    \
	    .forget = dh_host_forget,                                                    \
	    .forked = dh_host_forked,                                                    \
	    .finish = finish,                                                            \
	    .counters = counters,                                                        \
	}

OBSERVER(djit, "djit");
OBSERVER(lockset, "lockset");
OBSERVER(multirace, "multirace");
OBSERVER(eraser, "eraser");
OBSERVER(racetrack_basic, "racetrack-basic");
OBSERVER(patent, "patent");
OBSERVER(goldilocks, "goldilocks");
OBSERVER(goldilocks_paper, "goldilocks-paper");
OBSERVER(log, "log");
