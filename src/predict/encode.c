/* SPDX-License-Identifier: MIT */
/*
 * The encoder. The constraints, lettered as in docs/engines/predict.md:
 *
 *   (P) must order     clocks.h, with forced reads: an event after all its clock has
 *   (N) what is needed is before the race
 *   (K) the order that saturate.h found for what is needed
 *   (L) locks          of two sections that exclude each other one ends before the other
 *                      begins, unless one is not part of the schedule
 *   (R) reads          a read that is part of the schedule has a write before it that
 *                      serves it, and between the two none that does not
 */
#include "predict/encode.h"

void dh_encoder_init(struct dh_encoder *x, const struct dh_graph *g,
		     const struct dh_clocks *must)
{
	*x = (struct dh_encoder){.graph = g, .must = must, .parts_max = 4u << 20};
	x->limit = dh_mem_alloc((g->threads + 1) * sizeof *x->limit);
	x->useful = dh_mem_alloc((g->threads + 1) * sizeof *x->useful);
	x->unknown = dh_mem_alloc((g->events + 1) * sizeof *x->unknown);
}

void dh_encoder_free(struct dh_encoder *x)
{
	dh_mem_free(x->limit, (x->graph->threads + 1) * sizeof *x->limit);
	dh_mem_free(x->useful, (x->graph->threads + 1) * sizeof *x->useful);
	dh_mem_free(x->unknown, (x->graph->events + 1) * sizeof *x->unknown);
	dh_vec_free(&x->clause);
	dh_vec_free(&x->option);
	dh_vec_free(&x->options);
}

static bool is_useful(const struct dh_encoder *x, uint32_t e)
{
	return x->graph->position[e] < x->useful[x->graph->thread[e]];
}

static bool is_needed(const struct dh_encoder *x, uint32_t e)
{
	return x->graph->position[e] < x->need[x->graph->thread[e]];
}

/* ---- which events ---- */

/* Is the event at or after one of the two accesses? */
static bool past(const struct dh_encoder *x, uint32_t e)
{
	return dh_clocks_before(x->must, x->a, e) || dh_clocks_before(x->must, x->b, e);
}

/* Clocks grow along a thread, so the first event that is past is found by halving. */
static void find_limit(struct dh_encoder *x)
{
	const struct dh_graph *g = x->graph;
	for (uint32_t t = 0; t < g->threads; t++) {
		uint32_t low = 0, high = dh_graph_length(g, t);
		while (low < high) {
			uint32_t middle = (low + high) / 2;
			if (past(x, dh_graph_event(g, t, middle)))
				high = middle;
			else
				low = middle + 1;
		}
		x->limit[t] = low;
	}
}

/* An event that may help, with all that must come before it. What is below the limit has
 * only events below the limit before it. */
static bool add_useful(struct dh_encoder *x, uint32_t e)
{
	if (x->graph->position[e] >= x->limit[x->graph->thread[e]] || is_useful(x, e))
		return false;
	dh_clocks_raise(x->must, x->useful, e);
	return true;
}

static bool add_servers(struct dh_encoder *x, uint32_t read)
{
	const struct dh_graph *g = x->graph;
	const struct dh_graph_var *v = &g->var_at[g->var[read]];
	bool grown = false;
	if (g->source[read] == DH_SOURCE_INITIAL)
		return false;
	for (uint32_t i = 0; i < v->writes; i++) {
		uint32_t w = g->writes[v->first_write + i];
		if (dh_graph_serves(g, w, read))
			grown |= add_useful(x, w);
	}
	return grown;
}

/* Releases of sections that were begun: others may want the lock. */
static bool add_releases(struct dh_encoder *x)
{
	const struct dh_graph *g = x->graph;
	bool grown = false;
	for (uint32_t i = 0; i < g->sections.len; i++) {
		const struct dh_section *s = &g->sections.at[i];
		if (s->open <= x->useful[s->thread] && s->close != DH_NONE)
			grown |=
			    add_useful(x, dh_graph_event(g, s->thread, s->close - 1));
	}
	return grown;
}

static void find_useful(struct dh_encoder *x)
{
	const struct dh_graph *g = x->graph;
	uint32_t *seen = dh_mem_alloc((g->threads + 1) * sizeof *seen);
	dh_copy(x->useful, x->need, g->threads * sizeof *x->useful);
	for (bool grown = true; grown;) {
		grown = add_releases(x);
		for (uint32_t t = 0; t < g->threads; t++)
			for (; seen[t] < x->useful[t]; seen[t]++) {
				uint32_t e = dh_graph_event(g, t, seen[t]);
				if (g->source[e] != DH_NONE)
					grown |= add_servers(x, e);
			}
	}
	dh_mem_free(seen, (g->threads + 1) * sizeof *seen);
}

/* ---- literals ---- */

static uint32_t unknown(struct dh_encoder *x, uint32_t e)
{
	if (!x->unknown[e])
		x->unknown[e] = dh_solver_unknown(x->solver) + 1;
	return x->unknown[e] - 1;
}

enum fixed { FIXED_NO, FIXED_YES, OPEN };

/* Is it settled that e is before f? */
static enum fixed order_of(const struct dh_encoder *x, uint32_t e, uint32_t f)
{
	if (is_needed(x, e) && is_needed(x, f)) {
		if (dh_saturated_before(x->known, e, f))
			return FIXED_YES;
		return dh_saturated_before(x->known, f, e) ? FIXED_NO : OPEN;
	}
	if (dh_clocks_before(x->must, e, f))
		return FIXED_YES;
	return dh_clocks_before(x->must, f, e) ? FIXED_NO : OPEN;
}

static dh_formula less(struct dh_encoder *x, uint32_t e, uint32_t f)
{
	x->parts++;
	return dh_solver_less(x->solver, unknown(x, e), unknown(x, f));
}

/* A literal "e is not part of the schedule", where it can be so. */
static void or_out(struct dh_encoder *x, uint32_t e)
{
	if (!is_needed(x, e))
		dh_vec_push(&x->clause, dh_solver_out(x->solver, unknown(x, e)));
}

static void assert_clause(struct dh_encoder *x)
{
	if (x->clause.len == 0)
		x->impossible = true;
	else
		dh_solver_assert(
		    x->solver,
		    dh_solver_or(x->solver, (uint32_t)x->clause.len, x->clause.at));
}

/* ---- (L) ---- */

/* The literal "s ends before o begins"; FIXED_YES where that is settled. */
static enum fixed or_ends_before(struct dh_encoder *x, const struct dh_section *s,
				 const struct dh_section *o)
{
	const struct dh_graph *g = x->graph;
	if (s->close == DH_NONE || s->close > x->useful[s->thread] || o->open == 0)
		return FIXED_NO;
	uint32_t release = dh_graph_event(g, s->thread, s->close - 1);
	uint32_t acquire = o->rank - 1;
	enum fixed f = order_of(x, release, acquire);
	if (f == OPEN)
		dh_vec_push(&x->clause, less(x, release, acquire));
	return f;
}

static void exclude(struct dh_encoder *x, const struct dh_section *s,
		    const struct dh_section *o)
{
	x->clause.len = 0;
	if (or_ends_before(x, s, o) == FIXED_YES || or_ends_before(x, o, s) == FIXED_YES)
		return;
	if (s->open)
		or_out(x, s->rank - 1);
	if (o->open)
		or_out(x, o->rank - 1);
	assert_clause(x);
}

static void encode_lock(struct dh_encoder *x, uint32_t first, uint32_t end)
{
	const struct dh_graph *g = x->graph;
	for (uint32_t i = first; i < end; i++) {
		const struct dh_chain *c = &g->chains.at[i];
		for (uint32_t k = i + 1; k < end; k++) {
			const struct dh_chain *d = &g->chains.at[k];
			if (c->thread == d->thread || (!c->write && !d->write))
				continue;
			for (uint32_t m = 0; m < c->count; m++) {
				const struct dh_section *s =
				    &g->sections.at[c->first + m];
				if (s->open > x->useful[s->thread])
					break;
				for (uint32_t n = 0; n < d->count; n++) {
					const struct dh_section *o =
					    &g->sections.at[d->first + n];
					if (o->open > x->useful[o->thread] ||
					    x->parts > x->parts_max || x->impossible)
						break;
					exclude(x, s, o);
				}
			}
		}
	}
}

/* ---- (R) ---- */

/* Adds to the option: the write w2, which does not serve, is not between w and the read.
 * w is DH_NONE for what was there before. False where it is settled that it is. */
static bool and_not_between(struct dh_encoder *x, uint32_t w, uint32_t w2, uint32_t read)
{
	dh_formula either[2];
	uint32_t n = 0;
	enum fixed before = w == DH_NONE ? FIXED_NO : order_of(x, w2, w);
	enum fixed after = order_of(x, read, w2);
	if (before == FIXED_YES || after == FIXED_YES)
		return true;
	if (before == OPEN)
		either[n++] = less(x, w2, w);
	if (after == OPEN)
		either[n++] = less(x, read, w2);
	if (n == 0)
		return false;
	dh_vec_push(&x->option, dh_solver_or(x->solver, n, either));
	return true;
}

/* The option that the read is served by w (DH_NONE: by what was there before): its parts
 * are left in x->option. False where that cannot be. */
static bool option(struct dh_encoder *x, uint32_t w, uint32_t read)
{
	const struct dh_graph *g = x->graph;
	const struct dh_graph_var *v = &g->var_at[g->var[read]];
	x->option.len = 0;
	if (w != DH_NONE) {
		enum fixed f = order_of(x, w, read);
		if (f == FIXED_NO)
			return false;
		if (f == OPEN)
			dh_vec_push(&x->option, less(x, w, read));
	}
	for (uint32_t i = 0; i < v->writes; i++) {
		uint32_t w2 = g->writes[v->first_write + i];
		if (w2 == w || !is_useful(x, w2) || dh_graph_serves(g, w2, read))
			continue;
		if (!and_not_between(x, w, w2, read))
			return false;
	}
	return true;
}

/* Tries one more option. True where it is settled that it holds. */
static bool try_option(struct dh_encoder *x, uint32_t w, uint32_t read)
{
	if (!option(x, w, read))
		return false;
	if (x->option.len == 0)
		return true;
	dh_vec_push(&x->options,
		    dh_solver_and(x->solver, (uint32_t)x->option.len, x->option.at));
	return false;
}

static void encode_read(struct dh_encoder *x, uint32_t read)
{
	const struct dh_graph *g = x->graph;
	const struct dh_graph_var *v = &g->var_at[g->var[read]];
	bool initial = g->source[read] == DH_SOURCE_INITIAL;
	x->options.len = 0;
	if ((initial || dh_graph_start_serves(g, read)) && try_option(x, DH_NONE, read))
		return;
	for (uint32_t i = 0; !initial && i < v->writes; i++) {
		uint32_t w = g->writes[v->first_write + i];
		if (x->parts > x->parts_max)
			return;
		if (is_useful(x, w) && dh_graph_serves(g, w, read) &&
		    try_option(x, w, read))
			return;
	}
	x->clause.len = 0;
	for (size_t i = 0; i < x->options.len; i++)
		dh_vec_push(&x->clause, x->options.at[i]);
	or_out(x, read);
	assert_clause(x);
}

/* ---- (P), (N) ---- */

/* The last event of a thread before a position that is an unknown, or DH_NONE. Events
 * that are none can be right behind it in any schedule. */
static uint32_t unknown_before(const struct dh_encoder *x, uint32_t thread,
			       uint32_t position)
{
	while (position-- > 0) {
		uint32_t e = dh_graph_event(x->graph, thread, position);
		if (x->unknown[e])
			return e;
	}
	return DH_NONE;
}

static bool learns(const struct dh_encoder *x, uint32_t e)
{
	uint32_t position = x->graph->position[e];
	uint32_t row = 0; /* the empty one */
	if (position)
		row = x->must->row[dh_graph_event(x->graph, x->graph->thread[e],
						  position - 1)];
	return x->must->row[e] != row;
}

/* Edges from other threads into e that the unknown before it in its thread does not have
 * already. */
static void edges_into(struct dh_encoder *x, uint32_t e, uint32_t former)
{
	const struct dh_graph *g = x->graph;
	for (uint32_t u = 0; u < g->threads; u++) {
		if (u == g->thread[e])
			continue;
		uint32_t known =
		    former == DH_NONE ? 0 : dh_clocks_get(x->must, former, u);
		uint32_t count = dh_clocks_get(x->must, e, u);
		uint32_t from = count > known ? unknown_before(x, u, count) : DH_NONE;
		if (from != DH_NONE)
			dh_solver_assert(x->solver, less(x, from, e));
	}
}

/* Order that was found to follow for what is needed. */
static void encode_known(struct dh_encoder *x)
{
	const struct dh_saturator *k = x->known;
	for (size_t i = k->first_new; i < k->edges.len; i++)
		dh_solver_assert(x->solver,
				 less(x, k->edges.at[i].from, k->edges.at[i].to));
}

static void encode_order(struct dh_encoder *x)
{
	const struct dh_graph *g = x->graph;
	encode_known(x);
	for (uint32_t t = 0; t < g->threads; t++)
		for (uint32_t p = 0; p < x->useful[t]; p++)
			if (learns(x, dh_graph_event(g, t, p)))
				unknown(x, dh_graph_event(g, t, p));
	for (uint32_t t = 0; t < g->threads; t++) {
		uint32_t former = DH_NONE, needed = unknown_before(x, t, x->need[t]);
		for (uint32_t p = 0; p < x->useful[t]; p++) {
			uint32_t e = dh_graph_event(g, t, p);
			if (!x->unknown[e])
				continue;
			if (former != DH_NONE)
				dh_solver_assert(x->solver, less(x, former, e));
			edges_into(x, e, former);
			former = e;
		}
		if (needed != DH_NONE)
			dh_solver_assert(x->solver,
					 dh_solver_in(x->solver, unknown(x, needed)));
	}
}

/* ---- the answer ---- */

/* An event that is no unknown has the place of the last one before it. */
static void read_answer(struct dh_encoder *x, uint32_t *cut, int64_t *place)
{
	const struct dh_graph *g = x->graph;
	dh_copy(cut, x->need, g->threads * sizeof *cut);
	for (uint32_t t = 0; t < g->threads; t++) {
		int64_t at = INT64_MIN;
		for (uint32_t p = 0; p < x->useful[t]; p++) {
			uint32_t e = dh_graph_event(g, t, p);
			if (x->unknown[e])
				at = dh_solver_value(x->solver, x->unknown[e] - 1);
			place[e] = at;
			if (x->unknown[e] && at < 0)
				dh_clocks_raise(x->must, cut, e);
		}
	}
}

static enum dh_answer encode_and_ask(struct dh_encoder *x)
{
	const struct dh_graph *g = x->graph;
	for (uint32_t l = 0; l < g->locks && !x->impossible; l++)
		encode_lock(x, g->lock_chain[l], g->lock_chain[l + 1]);
	for (uint32_t t = 0; t < g->threads; t++)
		for (uint32_t p = 0; p < x->useful[t] && !x->impossible; p++)
			if (g->source[dh_graph_event(g, t, p)] != DH_NONE)
				encode_read(x, dh_graph_event(g, t, p));
	if (x->impossible)
		return DH_NO;
	if (x->parts > x->parts_max)
		return DH_UNKNOWN;
	encode_order(x);
	return dh_solver_ask(x->solver);
}

uint32_t dh_encoder_prepare(struct dh_encoder *x, uint32_t a, uint32_t b,
			    const struct dh_saturator *known)
{
	uint32_t total = 0;
	x->a = a;
	x->b = b;
	x->known = known;
	x->need = known->cut;
	x->parts = 0;
	x->impossible = false;
	dh_zero(x->unknown, x->graph->events * sizeof *x->unknown);
	find_limit(x);
	find_useful(x);
	for (uint32_t t = 0; t < x->graph->threads; t++)
		total += x->useful[t];
	return total;
}

enum dh_answer dh_encoder_ask(struct dh_encoder *x, struct dh_solver *s, uint32_t *cut,
			      int64_t *place)
{
	x->solver = s;
	dh_solver_push(s);
	enum dh_answer answer = encode_and_ask(x);
	if (answer == DH_YES)
		read_answer(x, cut, place);
	dh_solver_pop(s);
	return answer;
}
