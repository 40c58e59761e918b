/* SPDX-License-Identifier: MIT */
/* Made-up traces for measurements; see workload.h. */
#include "workload.h"
#include "base/vec.h"
#include "rng.h"
#include "trace/names.h"

#include <stdio.h>

enum { SITES_PER_BURST = 32, BURSTS = 6 };

/* A range of variable numbers. */
struct range {
	uint32_t from, count;
};

struct workload {
	struct workload_config c;
	struct rng rng;
	struct dh_vec(struct dh_event) queue; /* the burst under way */
	size_t next;			      /* in the queue */
	uint64_t emitted;
	uint64_t bursts; /* since the last barrier */
	uint32_t phase;
	uint32_t thread; /* whose burst it is */
	uint32_t site;	 /* the first location of this kind of burst */
	bool begun, ended;
	struct range local, locked, shared, phased, message;
};

struct workload_config workload_default(void)
{
	struct workload_config c = {
	    .style = WORKLOAD_MIX,
	    .events = 1000000,
	    .seed = 1,
	    .threads = 16,
	    .vars = 65536,
	    .locks = 256,
	    .phase = 200,
	};
#define X(field, option, weight, what) c.field = weight;
	WORKLOAD_BURSTS(X)
#undef X
	return c;
}

/* ---- bursts ---- */

static void put_at(struct workload *w, enum dh_op op, uint32_t target, uint32_t at)
{
	dh_vec_push(&w->queue, (struct dh_event){.thread = w->thread,
						 .op = (uint8_t)op,
						 .target = target,
						 .site = w->site + at % SITES_PER_BURST});
}

static void put(struct workload *w, enum dh_op op, uint32_t target)
{
	put_at(w, op, target, (uint32_t)w->queue.len);
}

static void put_access(struct workload *w, uint32_t var, uint32_t writes)
{
	put(w, rng_percent(&w->rng, writes) ? DH_WRITE : DH_READ, var);
}

/* The part of a range that belongs to one of the threads, or to one phase of it. */
static struct range part(const struct workload *w, struct range r, uint32_t owner)
{
	uint32_t each = r.count / w->c.threads;
	return (struct range){r.from + owner % w->c.threads * each, each};
}

/* A walk over neighbouring variables, as over an array or the fields of an object. */
static void put_walk(struct workload *w, struct range r, uint32_t writes)
{
	uint32_t at = rng_below(&w->rng, r.count), n = rng_range(&w->rng, 8, 24);
	for (uint32_t i = 0; i < n; i++)
		put_access(w, r.from + (at + i / 2) % r.count, writes);
}

static void put_locked(struct workload *w)
{
	uint32_t lock = rng_below(&w->rng, w->c.locks), n = rng_range(&w->rng, 2, 8);
	uint32_t rows = w->locked.count / w->c.locks;
	put(w, DH_ACQUIRE, lock);
	for (uint32_t i = 0; i < n && rows; i++)
		put_access(
		    w, w->locked.from + rng_below(&w->rng, rows) * w->c.locks + lock, 40);
	put(w, DH_RELEASE, lock);
}

/* The slot of a message is written before the send and read after the receive. The
 * receiver answers, so that the slot may be written again. */
static void put_message(struct workload *w)
{
	uint32_t from = w->thread, to = rng_below(&w->rng, w->c.threads);
	struct range slots = part(w, w->message, from);
	uint32_t slot = slots.from + rng_below(&w->rng, slots.count);
	put(w, DH_WRITE, slot);
	put(w, DH_SEND, from);
	w->thread = to;
	put(w, DH_RECEIVE, from);
	put(w, DH_READ, slot);
	put(w, DH_SEND, w->c.threads + from);
	w->thread = from;
	put(w, DH_RECEIVE, w->c.threads + from);
}

static void put_barrier(struct workload *w)
{
	for (int op = DH_BARRIER_ENTER; op <= DH_BARRIER_LEAVE; op++)
		for (w->thread = 0; w->thread < w->c.threads; w->thread++)
			put(w, (enum dh_op)op, 0);
	w->phase++;
	w->bursts = 0;
}

static void put_spot(struct workload *w)
{
	uint32_t spot = rng_below(&w->rng, w->c.vars);
	if (w->c.style == WORKLOAD_LOCAL)
		spot = part(w, (struct range){0, w->c.vars}, w->thread).from +
		       rng_below(&w->rng, w->c.vars / w->c.threads);
	put(w, DH_ACQUIRE, spot);
	put(w, DH_READ, spot);
	put(w, DH_WRITE, spot);
	put(w, DH_RELEASE, spot);
}

/* One turn of the loop in TREE's Figures 5.1 and 5.3. */
static void put_turn(struct workload *w)
{
	uint32_t first = w->c.style == WORKLOAD_PRIVATE ? w->thread * w->c.locks : 0;
	for (uint32_t k = 0; k < w->c.locks; k++)
		put_at(w, DH_ACQUIRE, first + k, 0);
	put_at(w, DH_READ, 0, 1);
	put_at(w, DH_WRITE, 0, 2);
	for (uint32_t k = w->c.locks; k > 0; k--)
		put_at(w, DH_RELEASE, first + k - 1, 3);
}

static void put_mixed(struct workload *w)
{
	const struct workload_config *c = &w->c;
	uint32_t total = c->local + c->locked + c->shared + c->phased + c->message;
	uint32_t at = rng_below(&w->rng, total), kind = 1;
	const uint32_t weights[] = {c->local, c->locked, c->shared, c->phased,
				    c->message};
	for (; at >= weights[kind - 1]; kind++)
		at -= weights[kind - 1];
	w->site = 1 + kind * SITES_PER_BURST;
	if (kind == 1)
		put_walk(w, part(w, w->local, w->thread), 30);
	else if (kind == 2)
		put_locked(w);
	else if (kind == 3)
		put_walk(w, w->shared, 0);
	else if (kind == 4)
		put_walk(w, part(w, w->phased, w->thread + w->phase), 50);
	else
		put_message(w);
}

/* ---- the whole ---- */

static void put_beginning(struct workload *w)
{
	w->thread = 0;
	w->site = 1;
	for (uint32_t i = 0; i < w->shared.count && w->c.style == WORKLOAD_MIX; i++)
		put(w, DH_WRITE, w->shared.from + i);
	for (uint32_t t = 1; t < w->c.threads; t++) {
		if (w->c.style == WORKLOAD_PRIVATE) {
			put_at(w, DH_READ, 0, 4);
			put_at(w, DH_WRITE, 0, 5);
		}
		put(w, DH_FORK, t);
	}
	w->begun = true;
}

static void put_end(struct workload *w)
{
	w->thread = 0;
	for (uint32_t t = 1; t < w->c.threads; t++)
		put(w, DH_JOIN, t);
	w->ended = true;
}

static void put_burst(struct workload *w)
{
	const struct workload_config *c = &w->c;
	if (c->phase && ++w->bursts > (uint64_t)c->phase * c->threads) {
		put_barrier(w);
		return;
	}
	bool loops = c->style >= WORKLOAD_COMMON; /* where the first thread only forks */
	w->thread = loops + rng_below(&w->rng, c->threads - loops);
	if (c->style == WORKLOAD_MIX)
		put_mixed(w);
	else if (loops)
		put_turn(w);
	else
		put_spot(w);
}

bool workload_next(struct workload *w, struct dh_event *ev)
{
	if (w->next == w->queue.len) {
		w->next = w->queue.len = 0;
		if (!w->begun)
			put_beginning(w);
		else if (w->emitted < w->c.events)
			put_burst(w);
		else if (!w->ended)
			put_end(w);
		else
			return false;
	}
	*ev = w->queue.at[w->next++];
	ev->index = w->emitted++;
	return true;
}

static const char *check(const struct workload_config *c)
{
	if (c->threads < 2 || c->locks == 0)
		return "at least two threads and one lock are needed";
	uint32_t spots = c->style >= WORKLOAD_COMMON ? 1 : c->threads;
	if (c->vars < spots * (c->style == WORKLOAD_MIX ? 16 : 1))
		return "too few variables for so many threads";
	if (c->style == WORKLOAD_MIX &&
	    c->local + c->locked + c->shared + c->phased + c->message == 0)
		return "all weights are zero";
	return NULL;
}

struct workload *workload_new(const struct workload_config *config, const char **why)
{
	*why = check(config);
	if (*why)
		return NULL;
	struct workload *w = dh_mem_alloc(sizeof *w);
	w->c = *config;
	w->rng.state = config->seed;
	w->site = 1;
	uint32_t n = config->vars;
	w->local = (struct range){0, n / 2};
	w->locked = (struct range){n / 2, n / 4};
	w->shared = (struct range){n / 2 + n / 4, n / 8};
	w->phased = (struct range){n / 2 + n / 4 + n / 8, n / 16};
	w->message = (struct range){n / 2 + n / 4 + n / 8 + n / 16, n / 16};
	if (config->style != WORKLOAD_MIX)
		w->c.phase = 0;
	return w;
}

void workload_free(struct workload *w)
{
	dh_vec_free(&w->queue);
	dh_mem_free(w, sizeof *w);
}

static void add_names(struct dh_names *n, enum dh_name_kind kind, const char *prefix,
		      uint32_t count)
{
	char text[32];
	for (uint32_t i = 0; i < count; i++) {
		int len = snprintf(text, sizeof text, "%s%u", prefix, i);
		dh_names_intern(n, kind, text, (size_t)len);
	}
}

struct dh_names *workload_names(const struct workload *w)
{
	struct dh_names *n = dh_names_new();
	bool spots = w->c.style == WORKLOAD_SHARED || w->c.style == WORKLOAD_LOCAL;
	uint32_t owners = w->c.style == WORKLOAD_PRIVATE ? w->c.threads : 1;
	add_names(n, DH_NAME_THREAD, "T", w->c.threads);
	add_names(n, DH_NAME_VAR, "x", w->c.vars);
	add_names(n, DH_NAME_LOCK, "l", spots ? w->c.vars : w->c.locks * owners);
	add_names(n, DH_NAME_MESSAGE, "m", 2 * w->c.threads);
	add_names(n, DH_NAME_BARRIER, "b", 1);
	add_names(n, DH_NAME_SITE, "f.c:", SITES_PER_BURST * BURSTS);
	return n;
}
