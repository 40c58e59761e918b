/* SPDX-License-Identifier: MIT */
/* One pass over a window that makes the clocks of clocks.h. What a synchronisation object
 * carries is a clock too: the join of those of all events that left something there. */
#include "predict/clocks.h"

enum carrier {
	CARRIER_FORK,	 /* by thread: what its creator knew */
	CARRIER_MESSAGE, /* by message */
	CARRIER_EPISODE, /* by barrier and episode */
	CARRIER_VOLATILE_WRITES,
	CARRIER_VOLATILE_READS,
	CARRIER_WRITERS,  /* by lock: releases in write mode */
	CARRIER_READERS,  /* by lock: releases in read mode */
	CARRIER_ALLOC,	  /* by variable and life */
	CARRIER_CALLS,	  /* by class of variables: events of calls that reach it */
	CARRIER_ACCESSES, /* by class of variables: plain accesses */
};

/* A call that is open, and the classes of variables that it reaches. */
struct call {
	uint32_t thread;
	const uint32_t *reach;
	uint32_t count;
};

struct builder {
	struct dh_clocks *c;
	const struct dh_graph *g;
	unsigned rules;
	uint32_t *current; /* by thread: its row */
	bool *shared;	   /* by thread: some event has that row */
	uint32_t *last;	   /* by thread: its last event so far, or DH_NONE */
	struct dh_map carriers[CARRIER_ACCESSES + 1]; /* -> 1 + place in pool */
	struct dh_vec(uint32_t) pool;
	struct dh_vec(struct call) calls;
};

/* ---- carriers ---- */

/* The place of a carrier's clock in the pool; made when asked for with make. */
static uint64_t carrier(struct builder *b, enum carrier kind, uint64_t key, bool make)
{
	if (!make) {
		const uint64_t *at = dh_map_get(&b->carriers[kind], key);
		return at ? *at : 0;
	}
	bool fresh;
	uint64_t *at = dh_map_put(&b->carriers[kind], key, &fresh);
	if (fresh) {
		*at = b->pool.len + 1;
		dh_vec_grow(&b->pool, b->pool.len + b->g->threads);
	}
	return *at;
}

static void publish(struct builder *b, enum carrier kind, uint64_t key, uint32_t e)
{
	uint64_t at = carrier(b, kind, key, true);
	dh_clocks_raise(b->c, b->pool.at + at - 1, e);
}

/* ---- learning ---- */

/* A row of the thread's own that may be written to. */
static uint32_t *own_row(struct builder *b, uint32_t t)
{
	uint32_t threads = b->g->threads;
	if (b->shared[t]) {
		uint32_t fresh = (uint32_t)(b->c->rows.len / threads);
		dh_vec_grow(&b->c->rows, b->c->rows.len + threads);
		dh_copy(b->c->rows.at + (size_t)fresh * threads,
			dh_clocks_row(b->c, b->current[t]), threads * sizeof(uint32_t));
		b->current[t] = fresh;
		b->shared[t] = false;
	}
	return b->c->rows.at + (size_t)b->current[t] * threads;
}

static void learn_one(struct builder *b, uint32_t t, uint32_t u, uint32_t count)
{
	if (u != t && dh_clocks_row(b->c, b->current[t])[u] < count)
		own_row(b, t)[u] = count;
}

static void learn(struct builder *b, uint32_t t, enum carrier kind, uint64_t key)
{
	uint64_t at = carrier(b, kind, key, false);
	for (uint32_t u = 0; at && u < b->g->threads; u++)
		learn_one(b, t, u, b->pool.at[at - 1 + u]);
}

static void learn_event(struct builder *b, uint32_t t, uint32_t e)
{
	for (uint32_t u = 0; u < b->g->threads; u++)
		learn_one(b, t, u, dh_clocks_get(b->c, e, u));
}

/* ---- calls whose inside is missing ---- */

static uint32_t thread_number(const struct builder *b, uint32_t thread)
{
	return (uint32_t)*dh_map_get(&b->g->thread_number, thread);
}

static void open_call(struct builder *b, uint32_t t, uint32_t set)
{
	const struct dh_window *w = b->g->window;
	struct dh_reach_list l = set ? w->sets.at[set] : (struct dh_reach_list){0};
	dh_vec_push(&b->calls, (struct call){t, w->reach.at + l.at, l.count});
}

static void close_call(struct builder *b, uint32_t t)
{
	size_t i = b->calls.len;
	while (i > 0 && b->calls.at[i - 1].thread != t)
		i--;
	if (i == 0)
		return;
	for (; i < b->calls.len; i++)
		b->calls.at[i - 1] = b->calls.at[i];
	b->calls.len--;
}

/* An event in a call comes after all earlier events of calls that reach one of its
 * variables, and after all earlier accesses to these; an access after all earlier events
 * of calls that reach its variable. */
static void learn_methods(struct builder *b, uint32_t t, const struct dh_step *s)
{
	for (size_t i = 0; i < b->calls.len; i++) {
		const struct call *c = &b->calls.at[i];
		for (uint32_t k = 0; c->thread == t && k < c->count; k++) {
			learn(b, t, CARRIER_CALLS, c->reach[k]);
			learn(b, t, CARRIER_ACCESSES, c->reach[k]);
		}
	}
	if (dh_op_is_access(s->op) && s->reach)
		learn(b, t, CARRIER_CALLS, s->reach);
}

static void publish_methods(struct builder *b, uint32_t t, const struct dh_step *s,
			    uint32_t e)
{
	for (size_t i = 0; i < b->calls.len; i++) {
		const struct call *c = &b->calls.at[i];
		for (uint32_t k = 0; c->thread == t && k < c->count; k++)
			publish(b, CARRIER_CALLS, c->reach[k], e);
	}
	if (dh_op_is_access(s->op) && s->reach)
		publish(b, CARRIER_ACCESSES, s->reach, e);
}

/* ---- one event ---- */

static uint64_t with_life(const struct dh_step *s)
{
	return (uint64_t)s->target << 32 | s->life;
}

static void join(struct builder *b, uint32_t t, const struct dh_step *s)
{
	uint32_t child = thread_number(b, s->target);
	learn(b, t, CARRIER_FORK, child);
	if (b->last[child] != DH_NONE)
		learn_event(b, t, b->last[child]);
}

static void before_event(struct builder *b, uint32_t t, const struct dh_step *s)
{
	bool locks = b->rules & DH_CLOCK_LOCKS && !s->nested;
	switch (s->op) {
	case DH_READ:
	case DH_WRITE:
		if (b->rules & DH_CLOCK_ALLOC)
			learn(b, t, CARRIER_ALLOC, with_life(s));
		break;
	case DH_ACQUIRE:
		if (locks)
			learn(b, t, CARRIER_READERS, s->target);
		/* fall through */
	case DH_READ_ACQUIRE:
		if (locks)
			learn(b, t, CARRIER_WRITERS, s->target);
		break;
	case DH_JOIN:
		join(b, t, s);
		break;
	case DH_RECEIVE:
		learn(b, t, CARRIER_MESSAGE, s->target);
		break;
	case DH_BARRIER_LEAVE:
		learn(b, t, CARRIER_EPISODE, with_life(s));
		break;
	case DH_VOLATILE_READ:
		learn(b, t, CARRIER_VOLATILE_WRITES, s->target);
		break;
	case DH_VOLATILE_WRITE:
		if (b->rules & DH_CLOCK_VOLATILE) {
			learn(b, t, CARRIER_VOLATILE_WRITES, s->target);
			learn(b, t, CARRIER_VOLATILE_READS, s->target);
		}
		break;
	}
}

static void after_event(struct builder *b, const struct dh_step *s, uint32_t e)
{
	bool locks = b->rules & DH_CLOCK_LOCKS && !s->nested;
	switch (s->op) {
	case DH_RELEASE:
		if (locks)
			publish(b, CARRIER_WRITERS, s->target, e);
		break;
	case DH_READ_RELEASE:
		if (locks)
			publish(b, CARRIER_READERS, s->target, e);
		break;
	case DH_FORK:
		publish(b, CARRIER_FORK, thread_number(b, s->target), e);
		break;
	case DH_SEND:
		publish(b, CARRIER_MESSAGE, s->target, e);
		break;
	case DH_BARRIER_ENTER:
		publish(b, CARRIER_EPISODE, with_life(s), e);
		break;
	case DH_VOLATILE_READ:
		publish(b, CARRIER_VOLATILE_READS, s->target, e);
		break;
	case DH_VOLATILE_WRITE:
		publish(b, CARRIER_VOLATILE_WRITES, s->target, e);
		break;
	case DH_ALLOC:
		publish(b, CARRIER_ALLOC, with_life(s), e);
		break;
	}
}

static bool wants_source(const struct builder *b, uint32_t e)
{
	uint32_t source = b->g->source[e];
	return source < DH_SOURCE_INITIAL &&
	       (b->rules & DH_CLOCK_SOURCES ||
		(b->rules & DH_CLOCK_FORCED && b->g->forced[e]));
}

static void one_event(struct builder *b, uint32_t e)
{
	const struct dh_step *s = dh_graph_step(b->g, e);
	uint32_t t = b->g->thread[e];
	bool methods = b->rules & DH_CLOCK_METHODS;
	if (b->last[t] == DH_NONE)
		learn(b, t, CARRIER_FORK, t);
	if (methods && s->op == DH_METHOD_BEGIN)
		open_call(b, t, s->reach);
	before_event(b, t, s);
	if (methods)
		learn_methods(b, t, s);
	b->c->ready[e] = b->current[t];
	b->shared[t] = true;
	if (wants_source(b, e))
		learn_event(b, t, b->g->source[e]);
	b->c->row[e] = b->current[t];
	b->shared[t] = true;
	after_event(b, s, e);
	if (methods)
		publish_methods(b, t, s, e);
	if (methods && s->op == DH_METHOD_END)
		close_call(b, t);
	b->last[t] = e;
}

/* ---- the whole ---- */

void dh_clocks_raise(const struct dh_clocks *c, uint32_t *clock, uint32_t event)
{
	const uint32_t *row = dh_clocks_row(c, c->row[event]);
	uint32_t t = c->graph->thread[event], own = c->graph->position[event] + 1;
	for (uint32_t u = 0; u < c->graph->threads; u++)
		clock[u] = DH_MAX(clock[u], u == t ? own : row[u]);
}

static void builder_init(struct builder *b, struct dh_clocks *c, unsigned rules)
{
	const struct dh_graph *g = c->graph;
	b->c = c;
	b->g = g;
	b->rules = rules;
	b->current = dh_mem_alloc((g->threads + 1) * sizeof *b->current);
	b->last = dh_mem_alloc((g->threads + 1) * sizeof *b->last);
	b->shared = dh_mem_alloc(g->threads + 1);
	dh_vec_grow(&c->rows, g->threads); /* row 0: nothing known; everybody's first */
	for (uint32_t t = 0; t < g->threads; t++) {
		b->shared[t] = true;
		b->last[t] = DH_NONE;
	}
	for (size_t i = 0; i < g->window->calls.len; i++) {
		const struct dh_window_call *w = &g->window->calls.at[i];
		open_call(b, thread_number(b, w->thread), w->reach);
	}
}

static void builder_free(struct builder *b)
{
	for (size_t i = 0; i < DH_ARRAY_LEN(b->carriers); i++)
		dh_map_free(&b->carriers[i]);
	dh_mem_free(b->current, (b->g->threads + 1) * sizeof *b->current);
	dh_mem_free(b->last, (b->g->threads + 1) * sizeof *b->last);
	dh_mem_free(b->shared, b->g->threads + 1);
	dh_vec_free(&b->pool);
	dh_vec_free(&b->calls);
}

struct dh_clocks *dh_clocks_new(const struct dh_graph *g, unsigned rules)
{
	struct dh_clocks *c = dh_mem_alloc(sizeof *c);
	struct builder b = {0};
	c->graph = g;
	c->row = dh_mem_alloc((g->events + 1) * sizeof *c->row);
	c->ready = dh_mem_alloc((g->events + 1) * sizeof *c->ready);
	builder_init(&b, c, rules);
	for (uint32_t e = 0; e < g->events; e++)
		one_event(&b, e);
	builder_free(&b);
	return c;
}

void dh_clocks_free(struct dh_clocks *c)
{
	if (!c)
		return;
	dh_mem_free(c->row, (c->graph->events + 1) * sizeof *c->row);
	dh_mem_free(c->ready, (c->graph->events + 1) * sizeof *c->ready);
	dh_vec_free(&c->rows);
	dh_mem_free(c, sizeof *c);
}
