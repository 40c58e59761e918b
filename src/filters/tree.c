/* SPDX-License-Identifier: MIT */
/*
 * TREE (Fast and precise on-the-fly data race detection, chapter 3): drops accesses
 * that can add no new race between two code locations on a variable. Two filters from
 * one source: `tree`, as printed, for engines that judge by the weak relation and by
 * locksets; `tree-strict`, where frames and knowledge are those of both relations, for
 * engines that judge by the strong relation too.
 *
 * Algorithm 1 keeps the concurrency context of each thread: here the frame (what the
 * thread knows, and that it has not published since; clock/order.h counts both), the
 * locks held, and for comparisons between threads a hash of its messages. Algorithm 2
 * (DetectRedundancy):
 *   intra-thread   the same thread has accessed the variable at this location, with
 *                  this kind, locks and frame: one look-up in a table (recall.h)
 *   inter-thread   two other threads have, with equal locks and messages: a stack of
 *                  two per context (stack.h)
 * An access without a site is at a location of its own: it always passes. So does the
 * first of each kind after alloc, which starts a new generation of the variable.
 *
 * Intra-thread redundancy loses no pair. Let e' repeat e in a frame of t, and let e'
 * race with k. k is not before e' so not before e; e' is not before k, and t has not
 * published between e and e', so e is not before k. The locks are the same. Hence e
 * races with k, and what stands for k (if k is dropped too) races with e. The later
 * of e and k is before e', so e' is never the earliest second access of a variable.
 * What racetrack-basic and patent need beyond pairs is in guard.h.
 *
 * Inter-thread redundancy, as printed, does lose pairs: equal messages do not make
 * equal order. A fork tells a child of all that its parent did before, without a
 * message of the child's own; and threads with equal contexts may be joined at
 * different times. So the access e of t is parked rather than dropped, and only under
 * (P) of stack.h. Let e race with k, and let m be a member that is not k's thread, with
 * its access e_m: one of those that e was parked with if k came before e, else one of
 * those at the time of k. k is not before e_m: if it came before e, m would have known
 * it, hence t, and k would be before e; if not, e_m is the older one. e_m is not before
 * k, as m has not published since. So k races with e_m. The later of these two is k
 * itself or comes before e: e is not the earliest second access either. When (P) is
 * about to end for e, it is forwarded:
 *   - before a member publishes, the oldest parked access takes its place;
 *   - before the thread of e publishes (later, engines would see those that come after
 *     e before e) or learns (later, they would judge e by what its thread did not know).
 * Late is not too late: until then nobody is ordered after e, and its thread knows
 * what it knew; in Figure 2, Remove and Merge of t and of those who came in between
 * commute, two labels of members have kept x shared, and C_x has been within e's locks
 * since the second member's access. So e adds its label and changes nothing else.
 *
 * In `tree` a parked access outlives lock operations of its thread. An engine that sees
 * order in locks (`lock_order`) would judge it wrongly after these, and could raise a
 * false alarm. So it does not get it then, and loses it as with TREE as printed.
 */
#include "filters/guard.h"
#include "filters/stack.h"

enum { DEFAULT_LIMIT = 1 << 20 };

struct tree {
	struct dh_filter filter;
	struct dh_recalls recalls;
	struct dh_stacks stacks;
	struct dh_vec(struct dh_guard) guards; /* by variable */
	bool guarded;	       /* an engine cares for more of them than the generation */
	uint64_t intra_thread; /* dropped, by reason */
	uint64_t inter_thread;
	uint64_t parked_forwarded;
	uint64_t histories; /* kept now: entries of recalls, and stacks */
	uint64_t evicted;
};

/* Half of the histories are for the table, half for the stacks. */
static size_t half_limit(const struct tree *tree)
{
	size_t limit = tree->filter.limit ? tree->filter.limit : DEFAULT_LIMIT;
	return DH_MAX(limit / 2, (size_t)1);
}

static struct dh_lockset_table *locksets(const struct tree *tree)
{
	return tree->filter.stream->locksets;
}

/* Is there an engine that looks at locksets, and may care for C_x? */
static bool cares_for_guards(const struct dh_stream *s)
{
	unsigned needs = 0;
	for (size_t i = 0; i < s->engines.len; i++)
		needs |= s->engines.at[i]->ops->needs;
	return needs & DH_NEEDS_LOCKSETS;
}

static void count_histories(struct tree *tree)
{
	tree->histories = tree->recalls.len + tree->stacks.len;
}

/* ---- delivery of parked accesses ---- */

static uint64_t *reason_of(struct tree *tree, const struct dh_parked *p)
{
	return p->stack ? &tree->inter_thread : &tree->intra_thread;
}

/* Ends the references to a parked access. */
static void disown(struct tree *tree, uint32_t number)
{
	struct dh_parked *p = &tree->stacks.parked.at[number];
	struct dh_guard *g = &tree->guards.at[p->access.var];
	if (g->waiting == number)
		g->waiting = 0;
	struct dh_recall *h = p->stack ? dh_recall_find(&tree->recalls, &p->key) : NULL;
	if (h && h->parked == number)
		h->parked = 0;
}

/* Drops a parked access for good. */
static void discard(struct tree *tree, uint32_t number)
{
	disown(tree, number);
	dh_stacks_unpark(&tree->stacks, number);
}

/* Hands a late access to the engines that can still judge it; false: to none. */
static bool forward(struct tree *tree, const struct dh_parked *p)
{
	struct dh_stream *s = tree->filter.stream;
	struct dh_thread *t = dh_stream_thread(s, p->thread);
	if (dh_stacks_strand(&tree->stacks, p->thread)->lock_steps == p->lock_steps) {
		dh_stream_forward(s, t, &p->access);
		return true;
	}
	bool taken = false;
	for (size_t i = 0; i < s->engines.len; i++) {
		struct dh_engine *e = s->engines.at[i];
		if (e->ops->lock_order)
			continue;
		void *cell = dh_cells_get(&e->cells, p->access.var);
		(p->access.write ? e->ops->write : e->ops->read)(e, t, cell, &p->access);
		taken = true;
	}
	return taken;
}

static void deliver(struct tree *tree, uint32_t number)
{
	struct dh_parked *p = &tree->stacks.parked.at[number];
	struct dh_guard *g = &tree->guards.at[p->access.var];
	if (p->generation == g->generation && forward(tree, p)) {
		tree->filter.dropped--;
		--*reason_of(tree, p);
		tree->parked_forwarded++;
		if (g->waiting == number)
			g->shown = p->access.locks;
	}
	discard(tree, number);
}

/* Delivers what is due, in the order of the trace. */
static DH_COLD void deliver_due(struct tree *tree)
{
	uint32_t *due = tree->stacks.due.at;
	const struct dh_parked *parked = tree->stacks.parked.at;
	size_t n = tree->stacks.due.len;
	for (size_t i = 1; i < n; i++) {
		uint32_t moving = due[i];
		size_t j = i;
		for (; j > 0 &&
		       parked[due[j - 1]].access.index > parked[moving].access.index;
		     j--)
			due[j] = due[j - 1];
		due[j] = moving;
	}
	for (size_t i = 0; i < n; i++)
		deliver(tree, due[i]);
	tree->stacks.due.len = 0;
}

DH_INLINE void deliver_if_due(struct tree *tree)
{
	if (DH_UNLIKELY(tree->stacks.due.len))
		deliver_due(tree);
}

/* ---- accesses ---- */

/* Another access to the variable comes: the one that waits for it goes first if it
 * makes a difference, and is forgotten if not. */
static void release_waiting(struct tree *tree, struct dh_guard *g,
			    const struct dh_thread *t, const struct dh_access *a)
{
	if (DH_LIKELY(!g->waiting))
		return;
	uint32_t number = g->waiting;
	if (dh_guard_matters(g, locksets(tree), t, a))
		deliver(tree, number);
	else
		discard(tree, number);
}

static bool pass(struct tree *tree, struct dh_guard *g, const struct dh_thread *t,
		 const struct dh_access *a)
{
	if (tree->guarded) {
		release_waiting(tree, g, t, a);
		dh_guard_note(g, locksets(tree), t, a, true);
	}
	return true;
}

static bool drop(struct tree *tree, uint64_t *reason)
{
	tree->filter.dropped++;
	++*reason;
	return false;
}

/* A repeat that is not like the last access to its variable. */
static DH_NOINLINE bool repeat(struct tree *tree, struct dh_guard *g,
			       const struct dh_thread *t, const struct dh_access *a,
			       const struct dh_recall_key *key)
{
	/* Idle: its entry was evicted, its stack was not. What waits goes on waiting. */
	if (!tree->guarded || dh_guard_idle(g, t, a))
		return drop(tree, &tree->intra_thread);
	enum dh_guard_verdict verdict = dh_guard_judge(g, locksets(tree), t, a);
	if (verdict == DH_GUARD_PASS)
		return pass(tree, g, t, a);
	release_waiting(tree, g, t, a);
	dh_guard_note(g, locksets(tree), t, a, false);
	if (verdict == DH_GUARD_WAIT)
		g->waiting = dh_stack_park(&tree->stacks, 0, t, key, g->generation, a);
	return drop(tree, &tree->intra_thread);
}

/* Makes room in the table. */
static DH_NOINLINE void forget_one(struct tree *tree)
{
	struct dh_recall *victim = dh_recall_victim(&tree->recalls);
	if (victim->parked)
		dh_stacks_due(&tree->stacks, victim->parked);
	dh_recall_remove(&tree->recalls, victim);
	tree->evicted++;
}

/* Notes in the table that the thread has been here in this frame. h is the entry, if
 * there is one; what it has parked is of a former generation. */
static void remember(struct tree *tree, struct dh_recall *h,
		     const struct dh_recall_key *key, uint32_t generation, uint32_t frame)
{
	if (!h) {
		while (tree->recalls.len >= half_limit(tree))
			forget_one(tree);
		h = dh_recall_put(&tree->recalls, key);
	} else if (h->parked) {
		discard(tree, h->parked);
	}
	h->frame = frame;
	h->generation = generation;
}

/* Algorithm 2 for a thread that comes for the first time in its frame. The stack of
 * a thread that has forked can have no second member: it is not kept. */
static DH_NOINLINE bool first(struct tree *tree, struct dh_guard *g,
			      const struct dh_thread *t, const struct dh_access *a,
			      struct dh_recall *h, const struct dh_recall_key *key)
{
	struct dh_stacks *s = &tree->stacks;
	uint32_t frame = dh_stacks_frame(s, &t->party);
	const struct dh_strand *strand = dh_stacks_strand(s, t->party.id);
	enum dh_stack_verdict verdict = DH_STACK_NEW;
	uint32_t stack = 0;
	remember(tree, h, key, g->generation, frame);
	if (!strand->forked) {
		struct dh_stack_key sk = {
		    .site = a->site,
		    .var = a->var,
		    .held = t->held,
		    .held_write = t->held_write,
		    .write = a->write,
		};
		stack = dh_stack_get(s, &sk, strand->messages, g->generation,
				     half_limit(tree), &tree->evicted);
		if (stack)
			verdict = dh_stack_judge(s, stack, t, frame);
	}
	count_histories(tree);
	deliver_if_due(tree);
	if (verdict == DH_STACK_NEW)
		return pass(tree, g, t, a);
	if (verdict == DH_STACK_REPEAT)
		return repeat(tree, g, t, a, key);
	if (tree->guarded) {
		release_waiting(tree, g, t, a);
		dh_guard_note(g, locksets(tree), t, a, false);
	}
	h = dh_recall_find(&tree->recalls, key);
	h->parked = dh_stack_park(s, stack, t, key, g->generation, a);
	return drop(tree, &tree->inter_thread);
}

static bool tree_access(struct dh_filter *f, struct dh_thread *t,
			const struct dh_access *a)
{
	struct tree *tree = (struct tree *)f;
	if (DH_UNLIKELY(f->seen++ == 0))
		tree->guarded = cares_for_guards(f->stream);
	dh_vec_grow(&tree->guards, (size_t)a->var + 1);
	struct dh_guard *g = &tree->guards.at[a->var];
	if (DH_UNLIKELY(a->site == DH_SITE_NONE))
		return pass(tree, g, t, a);
	struct dh_recall_key key = {
	    .site = a->site,
	    .var = a->var,
	    .who = dh_recall_who(t->party.id, a->write),
	    .held = t->held,
	    .held_write = t->held_write,
	};
	struct dh_recall *h = dh_recall_find(&tree->recalls, &key);
	if (!h || h->frame != dh_stacks_frame(&tree->stacks, &t->party) ||
	    h->generation != g->generation)
		return first(tree, g, t, a, h, &key);
	h->recent = 1;
	if (DH_LIKELY(dh_guard_idle(g, t, a)))
		return drop(tree, &tree->intra_thread);
	return repeat(tree, g, t, a, &key);
}

/* ---- synchronisation ---- */

/* Adds a message to a thread's context. Who sends and who receives it add the same. */
static void add_message(struct tree *tree, const struct dh_event *ev)
{
	struct dh_strand *strand = dh_stacks_strand(&tree->stacks, ev->thread);
	uint64_t id = (uint64_t)dh_op_kind(ev->op) << 32 | ev->target;
	strand->messages = dh_mix(strand->messages + id + 1);
}

static void before_lock(struct tree *tree, const struct dh_thread *t, uint8_t op)
{
	struct dh_stacks *s = &tree->stacks;
	uint32_t id = t->party.id;
	bool release = op == DH_RELEASE || op == DH_READ_RELEASE;
	if (s->strict && release)
		dh_stacks_due_publish(s, id);
	else if (s->strict || t->party.clock >= s->stream->order.config.clock_max)
		dh_stacks_due_mine(s, id); /* the latter: its slot is about to change */
	deliver_if_due(tree);
	s->strands.at[id].lock_steps++;
}

static void before_alloc(struct tree *tree, uint32_t var)
{
	dh_vec_grow(&tree->guards, (size_t)var + 1);
	struct dh_guard *g = &tree->guards.at[var];
	if (g->waiting)
		discard(tree, g->waiting);
	dh_guard_reset(g); /* what is parked of the old generation is never delivered */
}

/* Makes due what (P) will not cover after the event. */
static void make_due(struct dh_stacks *s, uint32_t thread, const struct dh_event *ev)
{
	switch ((enum dh_op)ev->op) {
	case DH_SEND:
	case DH_VOLATILE_WRITE:
	case DH_BARRIER_ENTER:
	case DH_FORK:
		dh_stacks_due_publish(s, thread);
		break;
	case DH_JOIN:
		dh_stacks_due_mine(s, thread);
		dh_stacks_strand(s, ev->target);
		dh_stacks_due_publish(s, ev->target);
		break;
	default:
		dh_stacks_due_mine(s, thread);
		break;
	}
}

static void tree_before(struct dh_filter *f, struct dh_thread *t,
			const struct dh_event *ev)
{
	struct tree *tree = (struct tree *)f;
	struct dh_strand *strand = dh_stacks_strand(&tree->stacks, t->party.id);
	switch ((enum dh_op)ev->op) {
	case DH_ACQUIRE:
	case DH_RELEASE:
	case DH_READ_ACQUIRE:
	case DH_READ_RELEASE:
		before_lock(tree, t, ev->op);
		return;
	case DH_ALLOC:
		before_alloc(tree, ev->target);
		return;
	case DH_METHOD_BEGIN:
	case DH_METHOD_END:
		return;
	case DH_FORK:
		strand->forked = true;
		break;
	default:
		add_message(tree, ev);
		break;
	}
	make_due(&tree->stacks, t->party.id, ev);
	deliver_if_due(tree);
}

/* What is parked of a variable. There are few of them at a time: who publishes or learns
 * has none left. */
static void tree_settle(struct dh_filter *f, uint32_t var)
{
	struct tree *tree = (struct tree *)f;
	struct dh_stacks *s = &tree->stacks;
	if (var >= tree->guards.len)
		return;
	if (tree->guards.at[var].waiting)
		deliver(tree, tree->guards.at[var].waiting);
	for (uint32_t i = 1; i < s->parked.len; i++)
		if (s->parked.at[i].listed && s->parked.at[i].access.var == var)
			dh_stacks_due(s, i);
	deliver_if_due(tree);
}

/* ---- the filters ---- */

static void tree_init(struct dh_filter *f)
{
	dh_stacks_init(&((struct tree *)f)->stacks, f->stream, false);
}

static void strict_init(struct dh_filter *f)
{
	dh_stacks_init(&((struct tree *)f)->stacks, f->stream, true);
}

static void tree_fini(struct dh_filter *f)
{
	struct tree *tree = (struct tree *)f;
	dh_stacks_free(&tree->stacks);
	dh_recalls_free(&tree->recalls);
	dh_vec_free(&tree->guards);
}

static const struct dh_counter counters[] = {
    {"filter_seen", offsetof(struct tree, filter.seen)},
    {"filter_dropped", offsetof(struct tree, filter.dropped)},
    {"intra_thread", offsetof(struct tree, intra_thread)},
    {"inter_thread", offsetof(struct tree, inter_thread)},
    {"parked_forwarded", offsetof(struct tree, parked_forwarded)},
    {"histories", offsetof(struct tree, histories)},
    {"evicted", offsetof(struct tree, evicted)},
    {NULL, 0},
};

extern const struct dh_filter_ops dh_filter_tree;
const struct dh_filter_ops dh_filter_tree = {
    .name = "tree",
    .summary = "TREE: drops accesses with a location, variable and concurrency context "
	       "seen before",
    .guarantees = "loses no racing pair of locations of the weak relation with locksets, "
		  "and no variable of racetrack-basic and patent",
    .misses = "races of the strong relation; engines that forget first accesses (eraser, "
	      "lockset, racetrack) may report otherwise",
    .needs = DH_NEEDS_WEAK | DH_NEEDS_LOCKSETS,
    .size = sizeof(struct tree),
    .counters = counters,
    .init = tree_init,
    .fini = tree_fini,
    .access = tree_access,
    .before = tree_before,
    .settle = tree_settle,
};

extern const struct dh_filter_ops dh_filter_tree_strict;
const struct dh_filter_ops dh_filter_tree_strict = {
    .name = "tree-strict",
    .summary = "TREE with order through locks in the concurrency context",
    .guarantees = "loses no racing pair of locations of the strong relation, and no "
		  "racy variable of fasttrack, djit and goldilocks",
    .misses = "redundancy across the release of a lock, which is most of what tree drops "
	      "in programs with locks",
    .needs = DH_NEEDS_STRONG | DH_NEEDS_WEAK | DH_NEEDS_LOCKSETS,
    .size = sizeof(struct tree),
    .counters = counters,
    .init = strict_init,
    .fini = tree_fini,
    .access = tree_access,
    .before = tree_before,
    .settle = tree_settle,
};
