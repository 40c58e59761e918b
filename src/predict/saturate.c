/* SPDX-License-Identifier: MIT */
/* Saturation; see saturate.h. */
#include "predict/saturate.h"
#include "predict/choices.h"
#include "predict/lineup.h"

enum {
	MATTERS_MAX = 1 << 20, /* more are left to the solver */
	/* Outcomes of a round. */
	ROUND_DONE = 0,
	ROUND_AGAIN, /* new edges */
	ROUND_GROWN, /* the cut has grown: all over again */
	ROUND_NO,
};

void dh_saturator_init(struct dh_saturator *x, const struct dh_graph *g,
		       const struct dh_clocks *must, bool keep)
{
	*x = (struct dh_saturator){.graph = g, .must = must, .keep = keep};
	x->cut = dh_mem_alloc((g->threads + 1) * sizeof *x->cut);
	x->next = dh_mem_alloc((g->threads + 1) * sizeof *x->next);
	x->choice = dh_mem_alloc(g->events + 1);
	x->meet = dh_mem_alloc((g->threads + 1) * sizeof *x->meet);
	x->latest = dh_mem_alloc((g->threads + 1) * sizeof *x->latest);
	x->into = dh_mem_alloc((g->events + 1) * sizeof *x->into);
	x->rows = dh_mem_alloc(((size_t)g->events * g->threads + 1) * sizeof *x->rows);
}

void dh_saturator_free(struct dh_saturator *x)
{
	const struct dh_graph *g = x->graph;
	dh_mem_free(x->cut, (g->threads + 1) * sizeof *x->cut);
	dh_mem_free(x->next, (g->threads + 1) * sizeof *x->next);
	dh_mem_free(x->choice, g->events + 1);
	dh_mem_free(x->meet, (g->threads + 1) * sizeof *x->meet);
	dh_mem_free(x->latest, (g->threads + 1) * sizeof *x->latest);
	dh_mem_free(x->into, (g->events + 1) * sizeof *x->into);
	dh_mem_free(x->rows, ((size_t)g->events * g->threads + 1) * sizeof *x->rows);
	dh_vec_free(&x->edges);
	dh_vec_free(&x->matters);
	dh_vec_free(&x->order);
}

/* ---- edges ---- */

static void add_edge(struct dh_saturator *x, uint32_t from, uint32_t to)
{
	dh_vec_push(&x->edges, (struct dh_edge){from, to, x->into[to]});
	x->into[to] = (uint32_t)x->edges.len;
}

/* The must order of an event as edges: from each thread of which it knows more than the
 * event before it in its own. */
static void load_event(struct dh_saturator *x, uint32_t e)
{
	const struct dh_graph *g = x->graph;
	uint32_t t = g->thread[e], p = g->position[e];
	uint32_t former = p ? dh_graph_event(g, t, p - 1) : DH_NONE;
	for (uint32_t u = 0; u < g->threads; u++) {
		uint32_t count = u == t ? p : dh_clocks_get(x->must, e, u);
		dh_saturated_row(x, e)[u] = count;
		uint32_t known = former == DH_NONE ? 0 : dh_saturated_row(x, former)[u];
		if (u != t && count > known)
			add_edge(x, dh_graph_event(g, u, count - 1), e);
	}
}

static void load(struct dh_saturator *x)
{
	const struct dh_graph *g = x->graph;
	x->edges.len = x->matters.len = 0;
	dh_zero(x->into, g->events * sizeof *x->into);
	dh_zero(x->choice, g->events);
	for (uint32_t e = 0; e < g->events; e++)
		if (dh_saturated_has(x, e))
			load_event(x, e);
	x->first_new = (uint32_t)x->edges.len;
	x->steps += (uint64_t)g->events * g->threads;
}

/* What `from` and all before it is before `to`, too. True where that was news. */
static bool learn(struct dh_saturator *x, uint32_t to, uint32_t from, bool self)
{
	const struct dh_graph *g = x->graph;
	uint32_t *row = dh_saturated_row(x, to), t = g->thread[from];
	const uint32_t *with = dh_saturated_row(x, from);
	bool news = false;
	for (uint32_t u = 0; u < g->threads; u++) {
		uint32_t count = u != t ? with[u] : self ? g->position[from] + 1 : 0;
		news |= count > row[u];
		row[u] = DH_MAX(row[u], count);
	}
	x->steps += g->threads;
	return news;
}

/* What the read comes after, whichever write it gets: edges from what is in the cut.
 * False where it can get none. */
static bool learn_choice(struct dh_saturator *x, uint32_t read, struct dh_choice *c,
			 bool *news)
{
	const struct dh_graph *g = x->graph;
	*c = dh_choice_of(x, read);
	x->steps += (uint64_t)g->var_at[g->var[read]].writes * g->threads;
	for (uint32_t t = 0; t < g->threads && c->count; t++) {
		uint32_t known = DH_MIN(x->meet[t], x->cut[t]);
		if (t == g->thread[read] || known <= dh_saturated_row(x, read)[t])
			continue;
		add_edge(x, dh_graph_event(g, t, known - 1), read);
		*news |= learn(x, read, dh_graph_event(g, t, known - 1), true);
	}
	return c->count > 0;
}

/* Carries news along all edges. False where an event would have to be before itself, or a
 * read is left without a write. */
static bool propagate(struct dh_saturator *x)
{
	const struct dh_graph *g = x->graph;
	for (bool news = true; news;) {
		news = false;
		for (uint32_t e = 0; e < g->events; e++) {
			if (!dh_saturated_has(x, e))
				continue;
			uint32_t t = g->thread[e], p = g->position[e];
			if (p)
				news |= learn(x, e, dh_graph_event(g, t, p - 1), false);
			for (uint32_t i = x->into[e]; i; i = x->edges.at[i - 1].next)
				news |= learn(x, e, x->edges.at[i - 1].from, true);
			struct dh_choice c;
			if (x->choice[e] && !learn_choice(x, e, &c, &news))
				return false;
			if (dh_saturated_row(x, e)[t] > p)
				return false;
		}
	}
	return true;
}

/* ---- matters ---- */

/* Can nothing but what was there before the window serve the read? */
static bool start_only(const struct dh_graph *g, uint32_t read)
{
	const struct dh_graph_var *v = &g->var_at[g->var[read]];
	if (g->source[read] == DH_SOURCE_INITIAL)
		return true;
	for (uint32_t i = 0; i < v->writes; i++)
		if (dh_graph_serves(g, g->writes[v->first_write + i], read))
			return false;
	return true;
}

bool dh_saturated_source(const struct dh_saturator *x, uint32_t read)
{
	const struct dh_graph *g = x->graph;
	if (x->keep)
		return true;
	return g->source[read] < DH_SOURCE_INITIAL ? g->forced[read]
						   : start_only(g, read);
}

static uint32_t release_of(const struct dh_saturator *x, const struct dh_section *s)
{
	return dh_graph_event(x->graph, s->thread, s->close - 1);
}

static bool closed(const struct dh_saturator *x, const struct dh_section *s)
{
	return s->close <= x->cut[s->thread];
}

static bool ends_before(const struct dh_saturator *x, const struct dh_section *s,
			const struct dh_section *t)
{
	return closed(x, s) && t->open &&
	       dh_saturated_before(x, release_of(x, s), t->rank - 1);
}

/* Does the write come before the read's source, or after the read? */
static bool apart(const struct dh_saturator *x, uint32_t read, uint32_t write)
{
	uint32_t source = x->graph->source[read];
	return dh_saturated_before(x, read, write) ||
	       (source < DH_SOURCE_INITIAL && dh_saturated_before(x, write, source));
}

static void collect_read(struct dh_saturator *x, uint32_t read)
{
	const struct dh_graph *g = x->graph;
	const struct dh_graph_var *v = &g->var_at[g->var[read]];
	if (!dh_saturated_source(x, read)) {
		if ((uint64_t)v->writes * g->threads > DH_CHOICE_WORK_MAX ||
		    x->matters.len >= MATTERS_MAX)
			return;
		x->choice[read] = true;
		dh_vec_push(&x->matters, (struct dh_matter){DH_MATTER_CHOICE, read, 0});
		return;
	}
	for (uint32_t i = 0; i < v->writes && x->matters.len < MATTERS_MAX; i++) {
		uint32_t w = g->writes[v->first_write + i];
		if (dh_saturated_has(x, w) && !apart(x, read, w) &&
		    !dh_graph_serves(g, w, read))
			dh_vec_push(&x->matters,
				    (struct dh_matter){DH_MATTER_READ, read, w});
	}
	x->steps += v->writes;
}

static void collect_chains(struct dh_saturator *x, const struct dh_chain *c,
			   const struct dh_chain *d)
{
	const struct dh_section *at = x->graph->sections.at;
	for (uint32_t i = c->first; i < c->first + c->count; i++) {
		if (at[i].open > x->cut[c->thread])
			break;
		for (uint32_t k = d->first; k < d->first + d->count; k++) {
			if (at[k].open > x->cut[d->thread] ||
			    x->matters.len >= MATTERS_MAX)
				break;
			if (!ends_before(x, &at[i], &at[k]) &&
			    !ends_before(x, &at[k], &at[i]))
				dh_vec_push(&x->matters,
					    (struct dh_matter){DH_MATTER_LOCKS, i, k});
		}
	}
}

static void collect(struct dh_saturator *x)
{
	const struct dh_graph *g = x->graph;
	for (uint32_t l = 0; l < g->locks; l++)
		for (uint32_t i = g->lock_chain[l]; i < g->lock_chain[l + 1]; i++)
			for (uint32_t k = i + 1; k < g->lock_chain[l + 1]; k++) {
				const struct dh_chain *c = &g->chains.at[i];
				const struct dh_chain *d = &g->chains.at[k];
				if (c->thread != d->thread && (c->write || d->write))
					collect_chains(x, c, d);
			}
	for (uint32_t e = 0; e < g->events; e++)
		if (dh_saturated_has(x, e) && g->source[e] != DH_NONE)
			collect_read(x, e);
	x->steps += x->matters.len;
}

/* ---- settling ---- */

/* An event that every schedule must have after all. The cut grows when the round is over:
 * until then only events that were loaded may be in it. */
static int grow(struct dh_saturator *x, uint32_t e)
{
	const struct dh_graph *g = x->graph;
	dh_clocks_raise(x->must, x->next, e);
	if (x->next[g->thread[x->a]] > g->position[x->a] ||
	    x->next[g->thread[x->b]] > g->position[x->b])
		return ROUND_NO;
	return ROUND_GROWN;
}

static int grow_to_release(struct dh_saturator *x, const struct dh_section *s)
{
	return s->close == DH_NONE ? ROUND_NO : grow(x, release_of(x, s));
}

/* Does s begin before something of t that is in the cut? */
static bool begins_before(const struct dh_saturator *x, const struct dh_section *s,
			  const struct dh_section *t)
{
	uint32_t end = DH_MIN(t->close, x->cut[t->thread]);
	if (s->open == 0)
		return true;
	return end && dh_saturated_before(x, s->rank - 1,
					  dh_graph_event(x->graph, t->thread, end - 1));
}

static int settle_locks(struct dh_saturator *x, const struct dh_section *s,
			const struct dh_section *t, bool *settled)
{
	*settled = ends_before(x, s, t) || ends_before(x, t, s);
	if (*settled)
		return ROUND_DONE;
	bool s_first = begins_before(x, s, t), t_first = begins_before(x, t, s);
	if (s_first && t_first)
		return ROUND_NO;
	if (!s_first && !t_first)
		return ROUND_DONE;
	const struct dh_section *first = s_first ? s : t, *second = s_first ? t : s;
	if (second->open == 0)
		return ROUND_NO;
	if (!closed(x, first))
		return grow_to_release(x, first);
	add_edge(x, release_of(x, first), second->rank - 1);
	*settled = true;
	return ROUND_AGAIN;
}

static int settle_read(struct dh_saturator *x, uint32_t read, uint32_t w, bool *settled)
{
	uint32_t source = x->graph->source[read];
	bool window = source < DH_SOURCE_INITIAL;
	*settled = apart(x, read, w);
	if (*settled)
		return ROUND_DONE;
	if (window && dh_saturated_before(x, w, read))
		add_edge(x, w, source);
	else if (!window || dh_saturated_before(x, source, w))
		add_edge(x, read, w);
	else
		return ROUND_DONE;
	*settled = true;
	return ROUND_AGAIN;
}

/* Other writes are before the only one that can be the last before the read, or after the
 * read; DH_NONE: it is what was there before the window. */
static int settle_rivals(struct dh_saturator *x, uint32_t read, uint32_t write)
{
	const struct dh_graph *g = x->graph;
	const struct dh_graph_var *v = &g->var_at[g->var[read]];
	int outcome = ROUND_DONE;
	for (uint32_t i = 0; i < v->writes; i++) {
		uint32_t w = g->writes[v->first_write + i];
		bool none = write == DH_NONE;
		if (w == write || !dh_saturated_has(x, w) ||
		    dh_saturated_before(x, read, w) ||
		    (!none && dh_saturated_before(x, w, write)))
			continue;
		if (none || dh_saturated_before(x, write, w))
			add_edge(x, read, w);
		else if (dh_saturated_before(x, w, read))
			add_edge(x, w, write);
		else
			continue;
		outcome = ROUND_AGAIN;
	}
	return outcome;
}

static int settle_choice(struct dh_saturator *x, uint32_t read)
{
	const struct dh_graph *g = x->graph;
	struct dh_choice c;
	bool news = false;
	if (!learn_choice(x, read, &c, &news))
		return ROUND_NO;
	for (uint32_t t = 0; t < g->threads; t++)
		if (t != g->thread[read] && x->meet[t] > x->cut[t])
			return grow(x, dh_graph_event(g, t, x->meet[t] - 1));
	int outcome = c.count == 1 ? settle_rivals(x, read, c.write) : ROUND_DONE;
	return news ? ROUND_AGAIN : outcome;
}

static int settle(struct dh_saturator *x, struct dh_matter m, bool *settled)
{
	const struct dh_section *at = x->graph->sections.at;
	switch (m.kind) {
	case DH_MATTER_LOCKS:
		return settle_locks(x, &at[m.one], &at[m.other], settled);
	case DH_MATTER_READ:
		return settle_read(x, m.one, m.other, settled);
	case DH_MATTER_CHOICE:
		return settle_choice(x, m.one);
	}
	return ROUND_DONE;
}

/* Looks at every matter once more; those that are settled go. */
static int one_round(struct dh_saturator *x)
{
	size_t kept = 0;
	int outcome = ROUND_DONE;
	for (size_t i = 0; i < x->matters.len; i++) {
		struct dh_matter m = x->matters.at[i];
		bool settled = false;
		int got = settle(x, m, &settled);
		outcome = DH_MAX(outcome, got);
		if (got == ROUND_NO)
			return got;
		if (!settled)
			x->matters.at[kept++] = m;
	}
	x->steps += x->matters.len;
	x->matters.len = kept;
	return outcome;
}

/* ---- guessing ---- */

/* A section that is open in the cut after one that is closed; of two that are open the
 * one that was earlier in the trace is closed first. */
static int guess(struct dh_saturator *x)
{
	const struct dh_section *at = x->graph->sections.at;
	int outcome = ROUND_DONE;
	for (size_t i = 0; i < x->matters.len; i++) {
		if (x->matters.at[i].kind != DH_MATTER_LOCKS)
			continue;
		const struct dh_section *s = &at[x->matters.at[i].one];
		const struct dh_section *t = &at[x->matters.at[i].other];
		bool s_closed = closed(x, s), t_closed = closed(x, t);
		if (!s_closed && !t_closed)
			return grow_to_release(x, s->rank < t->rank ? s : t);
		if (s_closed && t_closed)
			continue;
		const struct dh_section *first = s_closed ? s : t,
					*last = s_closed ? t : s;
		if (!last->open)
			return ROUND_NO;
		add_edge(x, release_of(x, first), last->rank - 1);
		outcome = ROUND_AGAIN;
	}
	return outcome;
}

/* Rounds until nothing more follows: ROUND_DONE or ROUND_NO. The first is as if outcome
 * had just come out. */
static int conclude(struct dh_saturator *x, int outcome, bool guessing)
{
	while (outcome == ROUND_AGAIN || outcome == ROUND_GROWN) {
		if (outcome == ROUND_GROWN) {
			dh_copy(x->cut, x->next, x->graph->threads * sizeof *x->cut);
			load(x);
			collect(x);
		} else if (!propagate(x)) {
			return ROUND_NO;
		}
		outcome = one_round(x);
		if (outcome == ROUND_DONE && guessing)
			outcome = guess(x);
	}
	return outcome;
}

void dh_saturate_not(struct dh_saturator *x, uint32_t a, uint32_t b, const uint32_t *need)
{
	x->a = a;
	x->b = b;
	dh_copy(x->cut, need, x->graph->threads * sizeof *x->cut);
	load(x);
}

enum dh_saturation dh_saturate(struct dh_saturator *x, uint32_t a, uint32_t b,
			       const uint32_t *need)
{
	size_t bytes = x->graph->threads * sizeof *x->cut;
	x->a = a;
	x->b = b;
	dh_copy(x->next, need, bytes);
	if (conclude(x, ROUND_GROWN, false) == ROUND_NO)
		return DH_SATURATED_NO;
	if (dh_line_up(x))
		return DH_SATURATED_YES;
	if (conclude(x, guess(x), true) == ROUND_DONE && dh_line_up(x))
		return DH_SATURATED_YES;
	dh_copy(x->next, need, bytes); /* without the guesses */
	conclude(x, ROUND_GROWN, false);
	return DH_SATURATED_OPEN;
}
