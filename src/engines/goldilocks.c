/* SPDX-License-Identifier: MIT */
/*
 * Goldilocks (Elmas, Qadeer, Tasiran): precise happens-before by locksets that grow. The
 * update list and the lazy evaluation are in goldi.h; here is what Figure 3 does at an
 * access.
 *
 * Short circuits, tried in this order, then the evaluation:
 *   owner   the earlier access was by the same thread
 *   alock   a lock that was held then is held now, at least once in write mode
 *   proven  the lockset as evaluated so far contains the thread
 *
 * Deviations
 *   - Reads do not conflict with reads. A variable keeps its last write and, since
 *     then, the last read of each thread; a read is checked against the write, a write
 *     against all of them.
 *   - The alock of an access is a lock that was held at this very access. The figure
 *     keeps the old one where the owner check succeeds (lines 12 to 16), although the
 *     owner may have let go of it: T1 {acq L; w x; rel L; w x}, T2 {acq L; w x} is a
 *     race, and the figure does not see it.
 *   - A second access in the same frame (goldi.h) has the lockset of the first, so it
 *     changes nothing. This goes also for a read after the thread's own write. And
 *     what others read since a write whose frame goes on raced with that write.
 *
 * Invariant: until the first race on a variable, every earlier access is ordered before
 * one that the cell still holds. Hence the first race is found at its second access.
 * A read may also make way for a later one that is known to come after it: what is
 * unordered with the former is unordered with the latter.
 */
#include "engines/goldi.h"

/* Reads by several threads: open addressing by thread, at most 3/4 full. */
struct readers {
	uint32_t cap; /* power of two */
	uint32_t len;
	struct dh_goldi_info at[];
};

struct cell {
	struct dh_goldi_info write; /* first: see dh_goldi_lockset_has() */
	struct dh_goldi_info read;  /* empty where there are readers */
	struct readers *readers;
};

enum { READERS_LEAST = 4 };

/* ---- alock: 1 + the lock, then a bit for read mode; 0 is none ---- */

enum { ALOCK_SHARED = 1 };
#define ALOCK_LOCK_MAX ((UINT32_MAX >> 1) - 1)

static uint32_t alock_lock(uint32_t alock)
{
	return (alock >> 1) - 1;
}

static bool holds_alock(struct dh_engine *e, const struct dh_thread *t,
			const struct dh_access *a, uint32_t alock)
{
	if (!alock)
		return false;
	dh_lockset set = alock & ALOCK_SHARED ? t->held_write : a->locks;
	return set != DH_LOCKSET_EMPTY &&
	       dh_lockset_has(dh_engine_locksets(e), set, alock_lock(alock));
}

/* One of the locks held; the former alock, if that is one of them, because the lock that
 * protects the variable is among those that are held each time. */
static uint32_t choose_alock(struct dh_engine *e, const struct dh_thread *t,
			     const struct dh_access *a, uint32_t former)
{
	const struct dh_lockset_table *table = dh_engine_locksets(e);
	if (a->locks == DH_LOCKSET_EMPTY)
		return 0;
	uint32_t lock = alock_lock(former);
	if (!former || !dh_lockset_has(table, a->locks, lock)) {
		uint32_t count;
		const uint32_t *items = dh_lockset_items(table, a->locks, &count);
		lock = items[a->index % count];
	}
	if (DH_UNLIKELY(lock > ALOCK_LOCK_MAX))
		return 0;
	bool shared = !a->write && t->held_read != DH_LOCKSET_EMPTY &&
		      !dh_lockset_has(table, t->held_write, lock);
	return (lock + 1) << 1 | (shared ? ALOCK_SHARED : 0);
}

/* ---- infos ---- */

static struct dh_goldi *core(struct dh_engine *e)
{
	return &((struct dh_goldi_engine *)e)->core;
}

static void set(struct dh_engine *e, struct dh_goldi_info *i, const struct dh_thread *t,
		const struct dh_access *a, uint32_t former)
{
	dh_goldi_info_set(core(e), i, t, a);
	i->alock = choose_alock(e, t, a, former);
}

static void check(struct dh_engine *e, const struct dh_thread *t,
		  const struct dh_access *a, struct dh_goldi_info *i, bool write)
{
	struct dh_goldi *g = core(e);
	struct dh_goldi_counts *counts = dh_goldi_thread(g, t)->counts;
	if (i->mark.thread == t->party.id)
		counts->owner++;
	else if (holds_alock(e, t, a, i->alock))
		counts->alock++;
	else if (DH_UNLIKELY(!dh_goldi_before(g, i, t)))
		dh_engine_observed(e, t, a, &i->mark, write);
}

/* ---- readers ---- */

static size_t readers_bytes(uint32_t cap)
{
	return sizeof(struct readers) + cap * sizeof(struct dh_goldi_info);
}

static struct readers *readers_new(uint32_t count)
{
	uint32_t cap =
	    DH_MAX((uint32_t)dh_pow2(2 * (uint64_t)count), (uint32_t)READERS_LEAST);
	struct readers *r = dh_mem_alloc(readers_bytes(cap));
	r->cap = cap;
	return r;
}

/* The thread's info, or the empty one where it would go. */
static struct dh_goldi_info *reader_of(struct readers *r, uint32_t thread)
{
	uint32_t at = (uint32_t)dh_mix(thread) & (r->cap - 1);
	while (r->at[at].origin && r->at[at].mark.thread != thread)
		at = (at + 1) & (r->cap - 1);
	return &r->at[at];
}

static void readers_move(struct readers *to, const struct dh_goldi_info *i)
{
	*reader_of(to, i->mark.thread) = *i;
	to->len++;
}

/* Makes room for a read by t. Reads that are known to come before it need not stay. */
static void readers_renew(struct dh_engine *e, struct cell *c, const struct dh_thread *t)
{
	struct readers *old = c->readers;
	uint32_t stay = 0;
	for (uint32_t i = 0; i < old->cap; i++) {
		if (!old->at[i].origin)
			continue;
		if (dh_goldi_known_before(core(e), &old->at[i], t))
			dh_goldi_info_drop(core(e), &old->at[i]);
		else
			stay++;
	}
	c->readers = readers_new(stay + 1);
	for (uint32_t i = 0; i < old->cap; i++)
		if (old->at[i].origin)
			readers_move(c->readers, &old->at[i]);
	dh_mem_free(old, readers_bytes(old->cap));
}

/* The room for readers stays: a variable that several threads read between two writes is
 * read so again. */
static void forget_reads(struct dh_engine *e, struct cell *c)
{
	struct readers *r = c->readers;
	if (c->read.origin)
		dh_goldi_info_drop(core(e), &c->read);
	if (!r)
		return;
	for (uint32_t i = 0; i < r->cap; i++)
		if (r->at[i].origin)
			dh_goldi_info_drop(core(e), &r->at[i]);
	r->len = 0;
}

/* Where t's read goes. */
static struct dh_goldi_info *place_read(struct dh_engine *e, struct cell *c,
					const struct dh_thread *t,
					const struct dh_access *a)
{
	uint32_t id = t->party.id;
	if (!c->readers) {
		struct dh_goldi_info *i = &c->read;
		if (!i->origin || i->mark.thread == id ||
		    holds_alock(e, t, a, i->alock) ||
		    dh_goldi_known_before(core(e), i, t))
			return i;
		c->readers = readers_new(2);
		readers_move(c->readers, i);
		*i = (struct dh_goldi_info){0};
	}
	struct dh_goldi_info *i = reader_of(c->readers, id);
	if (i->origin)
		return i;
	if ((c->readers->len + 1) * 4 > c->readers->cap * 3) {
		readers_renew(e, c, t);
		i = reader_of(c->readers, id);
	}
	c->readers->len++;
	return i;
}

/* ---- hooks ---- */

static void on_read(struct dh_engine *e, struct dh_thread *t, void *cell,
		    const struct dh_access *a)
{
	struct dh_goldi *g = core(e);
	const struct dh_goldi_thread *th = dh_goldi_thread(g, t);
	struct cell *c = cell;
	th->counts->accesses++;
	if (dh_goldi_in_frame(&c->write, th) || dh_goldi_in_frame(&c->read, th) ||
	    (c->readers && dh_goldi_in_frame(reader_of(c->readers, t->party.id), th))) {
		th->counts->owner++;
		return;
	}
	if (c->write.origin)
		check(e, t, a, &c->write, true);
	struct dh_goldi_info *i = place_read(e, c, t, a);
	set(e, i, t, a, i->alock);
}

static void on_write(struct dh_engine *e, struct dh_thread *t, void *cell,
		     const struct dh_access *a)
{
	const struct dh_goldi_thread *th = dh_goldi_thread(core(e), t);
	struct cell *c = cell;
	th->counts->accesses++;
	if (dh_goldi_in_frame(&c->write, th)) {
		th->counts->owner++;
		return;
	}
	uint32_t former = c->write.alock ? c->write.alock : c->read.alock;
	if (c->write.origin)
		check(e, t, a, &c->write, true);
	if (c->read.origin)
		check(e, t, a, &c->read, false);
	for (uint32_t i = 0; c->readers && i < c->readers->cap; i++)
		if (c->readers->at[i].origin)
			check(e, t, a, &c->readers->at[i], false);
	forget_reads(e, c);
	set(e, &c->write, t, a, former);
}

static void reset(struct dh_engine *e, void *cell)
{
	struct cell *c = cell;
	dh_goldi_info_drop(core(e), &c->write);
	forget_reads(e, c);
	if (c->readers)
		dh_mem_free(c->readers, readers_bytes(c->readers->cap));
	c->readers = NULL;
}

static void copy(struct dh_engine *e, void *to, const void *from)
{
	struct cell *c = to;
	const struct cell *other = from;
	dh_goldi_info_copy(core(e), &c->write, &other->write);
	dh_goldi_info_copy(core(e), &c->read, &other->read);
	if (!other->readers)
		return;
	size_t bytes = readers_bytes(other->readers->cap);
	c->readers = dh_mem_alloc(bytes);
	dh_copy(c->readers, other->readers, bytes);
	for (uint32_t i = 0; i < c->readers->cap; i++)
		dh_goldi_info_copy(core(e), &c->readers->at[i], &other->readers->at[i]);
}

static void start(struct dh_engine *e, struct dh_thread *t, struct dh_thread *parent)
{
	dh_goldi_start(core(e), t, parent);
}

static void sync(struct dh_engine *e, struct dh_thread *t, const struct dh_event *ev)
{
	dh_goldi_sync(core(e), t, ev);
}

static void forget(struct dh_engine *e, enum dh_name_kind kind, uint32_t number)
{
	dh_goldi_forget(core(e), kind, number);
}

static void end(struct dh_engine *e, struct dh_thread *t, bool alone)
{
	dh_goldi_end(core(e), t, alone);
}

static void init(struct dh_engine *e)
{
	dh_goldi_init(core(e));
}

static void fini(struct dh_engine *e)
{
	dh_goldi_fini(core(e));
}

/* ---- several threads at once: goldi.h ---- */

static void share(struct dh_engine *e)
{
	core(e)->shared = true;
}

static bool sync_shared(struct dh_engine *e, struct dh_thread *t,
			const struct dh_event *ev)
{
	return dh_goldi_sync_shared(core(e), t, ev);
}

static bool due(struct dh_engine *e)
{
	return dh_goldi_is_due(core(e));
}

static void settle(struct dh_engine *e)
{
	dh_goldi_collect(core(e));
}

static void tally(struct dh_engine *e)
{
	dh_goldi_tally(core(e));
}

static const struct dh_engine_shared shared = {
    .begin = share,
    .sync = sync_shared,
    .due = due,
    .settle = settle,
    .tally = tally,
};

static const struct dh_counter counters[] = {
    DH_GOLDI_COUNT(accesses),
    DH_GOLDI_COUNT(owner),
    DH_GOLDI_COUNT(alock),
    DH_GOLDI_COUNT(proven),
    DH_GOLDI_COUNT(refuted),
    DH_GOLDI_COUNT(full_walks),
    DH_GOLDI_COUNT(cells_walked),
    DH_GOLDI_COUNT(cells_appended),
    DH_GOLDI_COUNTER(cells_reclaimed),
    DH_GOLDI_COUNTER(collections),
    DH_GOLDI_COUNTER(infos_aged),
    DH_GOLDI_COUNTER(settled),
    DH_GOLDI_COUNTER(list_peak),
    {NULL, 0},
};

extern const struct dh_engine_ops dh_engine_goldilocks;
const struct dh_engine_ops dh_engine_goldilocks = {
    .name = "goldilocks",
    .summary =
	"happens-before by growing locksets, evaluated lazily (Goldilocks, Fig. 3)",
    .guarantees = "no false alarm; finds every variable that this run raced on, at the "
		  "first race",
    .misses = "races that the order of locks in this run happened to hide",
    .needs = DH_NEEDS_LOCKSETS,
    .lock_order = true,
    .size = sizeof(struct dh_goldi_engine),
    .cell_size = sizeof(struct cell),
    .counters = counters,
    .shared = &shared,
    .init = init,
    .fini = fini,
    .start = start,
    .sync = sync,
    .read = on_read,
    .write = on_write,
    .reset = reset,
    .copy = copy,
    .forget = forget,
    .end = end,
};
