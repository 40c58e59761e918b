/* SPDX-License-Identifier: MIT */
/*
 * RaceTrack's basic algorithm (Yu, Rodeheffer, Chen, section 2.2), Figure 2 to the
 * letter. A variable x has a threadset S_x, the labels <thread, clock> of accesses
 * that are taken to be concurrent, and a lockset C_x. At every access of t, a read or
 * a write:
 *
 *   S_x <- Merge(Remove(S_x, B_t), {<t, B_t(t)>})	(Remove: what is ordered before)
 *   C_x <- |S_x| > 1 ? C_x meet L_t : L_t
 *   report if |S_x| > 1 and C_x is empty
 *
 * B_t is the weak relation: fork, join, messages, barriers and volatiles, no locks.
 *
 * Finer clocks. The scalar of a thread also ticks when it releases a lock, which the
 * paper's does not. No verdict changes: what others know of t in the weak relation is
 * raised only when t publishes in it, and t's clock ticks at once after. So all
 * clocks from one weak publication to the next lie on the same side of B_u(t),
 * whichever u is, and Remove cannot tell them apart.
 *
 * Beyond the figure, and without influence on what is reported:
 *   - A label remembers its thread's last read and last write since the thread joined
 *     the set, so that a report can name the other access and grade the pair.
 *   - A variable is reported once; then its state is of no more use and is dropped.
 *   - Remove is skipped where it can take nothing away: see `learned` below.
 *
 * Invariants of a cell: labels ascend by slot, no slot twice; labels of another
 * thread than the last one to access were unordered with that access. C_x is
 * meaningful once there is a label.
 */
#include "engines/racetrack_basic.h"
#include "base/mem.h"
#include "engines/rival.h"

enum { NEAR = 2 };

struct label {
	uint32_t slot;
	uint32_t thread;   /* its id: a slot may be handed on */
	uint32_t learned;  /* what the thread had learned when it last did Remove here */
	uint32_t clock[2]; /* of the last read [0] and write [1]; 0: none */
	uint32_t site[2];
	uint64_t index[2];
};
_Static_assert(sizeof(struct label) == 48, "labels fill the cells of big traces");

struct cell {
	dh_lockset locks; /* C_x */
	uint32_t count;	  /* |S_x| */
	uint32_t cap;	  /* of far; 0: the labels are near */
	bool reported;
	union {
		struct label near[NEAR];
		struct label *far;
	};
};

struct basic {
	struct dh_engine engine;
	uint64_t exclusive;    /* accesses that left one label: C_x <- L_t */
	uint64_t shared;       /* accesses that left several: C_x is refined */
	uint64_t removed;      /* labels that Remove took away */
	uint64_t remove_skips; /* accesses of shared variables that needed no Remove */
	uint64_t after_report; /* accesses to variables reported before */
};

DH_INLINE struct label *labels_of(struct cell *c)
{
	return c->cap ? c->far : c->near;
}

/* S_x(u) of the label's thread. */
DH_INLINE uint32_t clock_of(const struct label *l)
{
	return DH_MAX(l->clock[0], l->clock[1]);
}

/* How often the thread has learned of order in the weak relation. While this stands
 * still it can remove nothing more from a set in which it left its label: what it
 * left there was unordered with it; what was added since has clocks that were not
 * yet published when it last learned. */
DH_INLINE uint32_t learned(const struct dh_thread *t)
{
	return t->party.know[DH_WEAK].version - t->party.know[DH_WEAK].published;
}

/* The first label whose slot is not less. */
static uint32_t lower(const struct label *at, uint32_t count, uint32_t slot)
{
	uint32_t lo = 0, hi = count;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (at[mid].slot < slot)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Does Remove(S_x, B_t) take this label away? t's own label is left for Merge to
 * overwrite, unless t has moved to another slot since. */
DH_INLINE bool is_ordered(const struct label *l, const struct dh_thread *t)
{
	if (l->thread == t->party.id)
		return l->slot != t->party.slot;
	return dh_order_before(&t->party, DH_WEAK, l->slot, clock_of(l));
}

static DH_NOINLINE uint32_t remove_ordered(struct cell *c, const struct dh_thread *t)
{
	struct label *at = labels_of(c);
	uint32_t kept = 0, before = c->count;
	for (uint32_t i = 0; i < before; i++) {
		if (is_ordered(&at[i], t))
			continue;
		if (kept != i)
			at[kept] = at[i];
		kept++;
	}
	c->count = kept;
	return before - kept;
}

static DH_NOINLINE void make_room(struct cell *c)
{
	uint32_t cap = c->cap ? c->cap * 2 : NEAR * 2;
	struct label *far = dh_mem_alloc(cap * sizeof *far);
	dh_copy(far, labels_of(c), c->count * sizeof *far);
	if (c->cap)
		dh_mem_free(c->far, c->cap * sizeof *far);
	c->far = far;
	c->cap = cap;
}

/* A place for t's label, which is not in the set. */
static DH_NOINLINE struct label *insert(struct cell *c, const struct dh_thread *t)
{
	if (c->count == (c->cap ? c->cap : NEAR))
		make_room(c);
	struct label *at = labels_of(c);
	uint32_t i = lower(at, c->count, t->party.slot);
	for (uint32_t j = c->count++; j > i; j--)
		at[j] = at[j - 1];
	at[i] = (struct label){.slot = t->party.slot, .thread = t->party.id};
	return &at[i];
}

/* t's own label, or NULL. What a former owner of its slot left is not t's. */
DH_INLINE struct label *own_label(struct cell *c, const struct dh_thread *t)
{
	struct label *at = labels_of(c);
	uint32_t i = lower(at, c->count, t->party.slot);
	if (i == c->count || at[i].slot != t->party.slot || at[i].thread != t->party.id)
		return NULL;
	return &at[i];
}

/* Remove and Merge; returns t's label. */
static struct label *merge(struct basic *b, struct cell *c, const struct dh_thread *t)
{
	b->removed += remove_ordered(c, t);
	struct label *own = own_label(c, t);
	return own ? own : insert(c, t);
}

/* An access that a filter delivers late does not displace a later one. Both are of one
 * weak time frame, so it makes no difference to S_x. */
static void note(struct label *own, const struct dh_thread *t, const struct dh_access *a)
{
	own->learned = learned(t);
	if (DH_UNLIKELY(a->index < own->index[a->write]))
		return;
	own->clock[a->write] = a->clock;
	own->site[a->write] = a->site;
	own->index[a->write] = a->index;
}

static void drop_labels(struct cell *c)
{
	if (c->cap)
		dh_mem_free(c->far, c->cap * sizeof *c->far);
	c->count = c->cap = 0;
}

static DH_COLD void report(struct dh_engine *e, const struct dh_thread *t, struct cell *c,
			   const struct dh_access *a)
{
	bool strong = e->ops->needs & DH_NEEDS_STRONG;
	struct dh_rival rival = {0};
	const struct label *at = labels_of(c);
	for (uint32_t i = 0; i < c->count * 2; i++) {
		const struct label *l = &at[i / 2];
		bool write = i % 2;
		if (!l->clock[write])
			continue;
		struct dh_mark mark = {l->index[write], l->thread, l->site[write]};
		dh_rival_offer(&rival, t, a, mark, write,
			       dh_epoch_make(l->slot, l->clock[write]), strong);
	}
	struct dh_race race = dh_rival_race(&rival, t, a);
	dh_engine_report(e, &race);
	drop_labels(c);
	c->reported = true;
}

static void access(struct dh_engine *e, struct dh_thread *t, void *cell,
		   const struct dh_access *a)
{
	struct basic *b = (struct basic *)e;
	struct cell *c = cell;
	if (c->reported) {
		b->after_report++;
		return;
	}
	struct label *own = own_label(c, t);
	if (!own || (c->count > 1 && own->learned != learned(t)))
		own = merge(b, c, t);
	else
		b->remove_skips += c->count > 1;
	note(own, t, a);
	if (c->count == 1) {
		b->exclusive++;
		c->locks = a->locks;
		return;
	}
	b->shared++;
	if (c->locks != a->locks)
		c->locks =
			dh_lockset_intersect(dh_engine_locksets(e), c->locks, a->locks);
	if (DH_UNLIKELY(c->locks == DH_LOCKSET_EMPTY))
		report(e, t, c, a);
}

static void reset(struct dh_engine *e, void *cell)
{
	(void)e;
	drop_labels(cell);
	dh_zero(cell, sizeof(struct cell));
}

static void copy(struct dh_engine *e, void *to, const void *from)
{
	(void)e;
	struct cell *c = to;
	const struct cell *other = from;
	*c = *other;
	if (!c->cap)
		return;
	c->far = dh_mem_alloc(c->cap * sizeof *c->far);
	dh_copy(c->far, other->far, c->cap * sizeof *c->far);
}

/* ---- for tests ---- */

uint32_t dh_racetrack_basic_size(const void *cell)
{
	return ((const struct cell *)cell)->count;
}

uint32_t dh_racetrack_basic_clock(const void *cell, uint32_t slot)
{
	const struct cell *c = cell;
	const struct label *at = c->cap ? c->far : c->near;
	uint32_t i = lower(at, c->count, slot);
	return i < c->count && at[i].slot == slot ? clock_of(&at[i]) : 0;
}

dh_lockset dh_racetrack_basic_locks(const void *cell)
{
	const struct cell *c = cell;
	return c->count ? c->locks : DH_LOCKSET_ALL;
}

/* clang-format off */
#define COUNTER(name) {#name, offsetof(struct basic, name)}
/* clang-format on */
static const struct dh_counter counters[] = {
	COUNTER(exclusive),    COUNTER(shared),	      COUNTER(removed),
	COUNTER(remove_skips), COUNTER(after_report), {NULL, 0},
};

const struct dh_engine_ops dh_engine_racetrack_basic = {
	.name = "racetrack-basic",
	.summary = "locksets and threadsets at every access (RaceTrack, Figure 2)",
	.guarantees = "a report: accesses unordered but by locks, and no common lock; "
		      "observed where this run's locks did not order them either",
	.misses =
		"what was accessed before the variable changed hands; counts concurrent "
		"reads without a lock as suspect",
	.needs = DH_NEEDS_STRONG | DH_NEEDS_WEAK | DH_NEEDS_LOCKSETS,
	.size = sizeof(struct basic),
	.cell_size = sizeof(struct cell),
	.counters = counters,
	.read = access,
	.write = access,
	.reset = reset,
	.copy = copy,
};
