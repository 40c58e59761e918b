/* SPDX-License-Identifier: MIT */
/* Saturation; see saturate.h. */
#include "predict/saturate.h"

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
	x->into = dh_mem_alloc((g->events + 1) * sizeof *x->into);
	x->rows = dh_mem_alloc(((size_t)g->events * g->threads + 1) * sizeof *x->rows);
}

void dh_saturator_free(struct dh_saturator *x)
{
	const struct dh_graph *g = x->graph;
	dh_mem_free(x->cut, (g->threads + 1) * sizeof *x->cut);
	dh_mem_free(x->into, (g->events + 1) * sizeof *x->into);
	dh_mem_free(x->rows, ((size_t)g->events * g->threads + 1) * sizeof *x->rows);
	dh_vec_free(&x->edges);
	dh_vec_free(&x->matters);
	dh_vec_free(&x->order);
}

static bool in_cut(const struct dh_saturator *x, uint32_t e)
{
	return x->graph->position[e] < x->cut[x->graph->thread[e]];
}

static uint32_t *row_of(const struct dh_saturator *x, uint32_t e)
{
	return x->rows + (size_t)e * x->graph->threads;
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
		row_of(x, e)[u] = count;
		uint32_t known = former == DH_NONE ? 0 : row_of(x, former)[u];
		if (u != t && count > known)
			add_edge(x, dh_graph_event(g, u, count - 1), e);
	}
}

static void load(struct dh_saturator *x)
{
	const struct dh_graph *g = x->graph;
	x->edges.len = x->matters.len = 0;
	dh_zero(x->into, g->events * sizeof *x->into);
	for (uint32_t e = 0; e < g->events; e++)
		if (in_cut(x, e))
			load_event(x, e);
	x->first_new = (uint32_t)x->edges.len;
	x->steps += (uint64_t)g->events * g->threads;
}

/* What `from` and all before it is before `to`, too. True where that was news. */
static bool learn(struct dh_saturator *x, uint32_t to, uint32_t from, bool self)
{
	const struct dh_graph *g = x->graph;
	uint32_t *row = row_of(x, to), t = g->thread[from];
	const uint32_t *with = row_of(x, from);
	bool news = false;
	for (uint32_t u = 0; u < g->threads; u++) {
		uint32_t count = u != t ? with[u] : self ? g->position[from] + 1 : 0;
		news |= count > row[u];
		row[u] = DH_MAX(row[u], count);
	}
	x->steps += g->threads;
	return news;
}

/* Carries news along all edges. False where an event would have to be before itself. */
static bool propagate(struct dh_saturator *x)
{
	const struct dh_graph *g = x->graph;
	for (bool news = true; news;) {
		news = false;
		for (uint32_t e = 0; e < g->events; e++) {
			if (!in_cut(x, e))
				continue;
			uint32_t t = g->thread[e], p = g->position[e];
			if (p)
				news |= learn(x, e, dh_graph_event(g, t, p - 1), false);
			for (uint32_t i = x->into[e]; i; i = x->edges.at[i - 1].next)
				news |= learn(x, e, x->edges.at[i - 1].from, true);
			if (row_of(x, e)[t] > p)
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

/* Is it settled where the read gets its value from? */
static bool has_one_source(const struct dh_saturator *x, uint32_t read)
{
	const struct dh_graph *g = x->graph;
	if (x->keep)
		return true;
	return g->source[read] < DH_SOURCE_INITIAL ? g->forced[read]
						   : start_only(g, read);
}

static void collect_read(struct dh_saturator *x, uint32_t read)
{
	const struct dh_graph *g = x->graph;
	const struct dh_graph_var *v = &g->var_at[g->var[read]];
	if (!has_one_source(x, read))
		return;
	for (uint32_t i = 0; i < v->writes && x->matters.len < MATTERS_MAX; i++) {
		uint32_t w = g->writes[v->first_write + i];
		if (in_cut(x, w) && !dh_graph_serves(g, w, read))
			dh_vec_push(&x->matters, (struct dh_matter){false, read, w});
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
			dh_vec_push(&x->matters, (struct dh_matter){true, i, k});
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
		if (in_cut(x, e) && g->source[e] != DH_NONE)
			collect_read(x, e);
	x->steps += x->matters.len;
}

/* ---- settling ---- */

/* A release that every schedule must have after all. */
static int grow(struct dh_saturator *x, const struct dh_section *s)
{
	const struct dh_graph *g = x->graph;
	if (s->close == DH_NONE)
		return ROUND_NO;
	dh_clocks_raise(x->must, x->cut, dh_graph_event(g, s->thread, s->close - 1));
	if (x->cut[g->thread[x->a]] > g->position[x->a] ||
	    x->cut[g->thread[x->b]] > g->position[x->b])
		return ROUND_NO;
	return ROUND_GROWN;
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

static bool closed(const struct dh_saturator *x, const struct dh_section *s)
{
	return s->close <= x->cut[s->thread];
}

static uint32_t release_of(const struct dh_saturator *x, const struct dh_section *s)
{
	return dh_graph_event(x->graph, s->thread, s->close - 1);
}

static bool ends_before(const struct dh_saturator *x, const struct dh_section *s,
			const struct dh_section *t)
{
	return closed(x, s) && t->open &&
	       dh_saturated_before(x, release_of(x, s), t->rank - 1);
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
		return grow(x, first);
	add_edge(x, release_of(x, first), second->rank - 1);
	*settled = true;
	return ROUND_AGAIN;
}

static int settle_read(struct dh_saturator *x, uint32_t read, uint32_t w, bool *settled)
{
	uint32_t source = x->graph->source[read];
	bool window = source < DH_SOURCE_INITIAL;
	*settled = dh_saturated_before(x, read, w) ||
		   (window && dh_saturated_before(x, w, source));
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

/* Looks at every matter once more; those that are settled go. */
static int one_round(struct dh_saturator *x)
{
	const struct dh_section *at = x->graph->sections.at;
	size_t kept = 0;
	int outcome = ROUND_DONE;
	for (size_t i = 0; i < x->matters.len; i++) {
		struct dh_matter m = x->matters.at[i];
		bool settled;
		int got = m.locks ? settle_locks(x, &at[m.one], &at[m.other], &settled)
				  : settle_read(x, m.one, m.other, &settled);
		outcome = DH_MAX(outcome, got);
		if (got == ROUND_NO || got == ROUND_GROWN)
			return got;
		if (!settled)
			x->matters.at[kept++] = m;
	}
	x->steps += x->matters.len;
	x->matters.len = kept;
	return outcome;
}

/* ---- putting the cut into an order ---- */

struct line {
	const struct dh_saturator *x;
	uint32_t *done;		/* a cut */
	uint32_t *memory;	/* by variable: the last write + 1 */
	uint32_t *wanted;	/* by write: reads of the cut that are still to get it */
	uint32_t *start_wanted; /* by variable: the same for what was there before */
};

static bool lock_is_free(const struct line *n, const struct dh_section *s)
{
	const struct dh_graph *g = n->x->graph;
	for (uint32_t i = g->lock_chain[s->lock]; i < g->lock_chain[s->lock + 1]; i++) {
		const struct dh_chain *c = &g->chains.at[i];
		uint32_t low = 0, high = c->count, done = n->done[c->thread];
		if (c->thread == s->thread || (!c->write && !s->write))
			continue;
		while (low < high) { /* the last section that was begun */
			uint32_t middle = (low + high) / 2;
			if (g->sections.at[c->first + middle].open <= done)
				low = middle + 1;
			else
				high = middle;
		}
		if (low && g->sections.at[c->first + low - 1].close > done)
			return false;
	}
	return true;
}

static bool read_is_right(const struct line *n, uint32_t e)
{
	const struct dh_graph *g = n->x->graph;
	uint32_t last = n->memory[g->var[e]];
	if (last)
		return dh_graph_serves(g, last - 1, e);
	return g->source[e] == DH_SOURCE_INITIAL || dh_graph_start_serves(g, e);
}

/* Would the write take a value away that some read is still to get? */
static bool spoils(const struct line *n, uint32_t e)
{
	uint32_t var = n->x->graph->var[e], last = n->memory[var];
	return last ? n->wanted[last - 1] : n->start_wanted[var];
}

static bool may_be_next(const struct line *n, const uint32_t *section, uint32_t e)
{
	const struct dh_graph *g = n->x->graph;
	const uint32_t *row = row_of(n->x, e);
	for (uint32_t u = 0; u < g->threads; u++)
		if (row[u] > n->done[u])
			return false;
	if (g->source[e] != DH_NONE && !read_is_right(n, e))
		return false;
	if (dh_graph_step(g, e)->op == DH_WRITE && spoils(n, e))
		return false;
	return section[e] == DH_NONE || lock_is_free(n, &g->sections.at[section[e]]);
}

/* Reads that have one source only are waited for. */
static uint32_t *waiting(const struct line *n, uint32_t e)
{
	const struct dh_graph *g = n->x->graph;
	uint32_t source = g->source[e];
	if (source == DH_NONE || !has_one_source(n->x, e))
		return NULL;
	return source < DH_SOURCE_INITIAL ? &n->wanted[source]
					  : &n->start_wanted[g->var[e]];
}

/* The event that is earliest in the trace of those that may be next, or DH_NONE. */
static uint32_t next_event(const struct line *n, const uint32_t *section)
{
	const struct dh_graph *g = n->x->graph;
	uint32_t best = DH_NONE;
	for (uint32_t t = 0; t < g->threads; t++) {
		if (n->done[t] == n->x->cut[t])
			continue;
		uint32_t e = dh_graph_event(g, t, n->done[t]);
		if (e < best && may_be_next(n, section, e))
			best = e;
	}
	return best;
}

static void take(struct line *n, struct dh_saturator *x, uint32_t e)
{
	const struct dh_graph *g = x->graph;
	uint32_t *wanted = waiting(n, e);
	dh_vec_push(&x->order, e);
	n->done[g->thread[e]]++;
	if (wanted)
		--*wanted;
	if (dh_graph_step(g, e)->op == DH_WRITE)
		n->memory[g->var[e]] = e + 1;
	x->steps += (uint64_t)g->threads * g->threads;
}

/* Fills in who waits for what, and which section each event begins. Returns how many
 * events there are in the cut. */
static uint32_t prepare(struct line *n, uint32_t *section)
{
	const struct dh_graph *g = n->x->graph;
	uint32_t total = 0;
	for (uint32_t e = 0; e < g->events; e++) {
		uint32_t *wanted = in_cut(n->x, e) ? waiting(n, e) : NULL;
		section[e] = DH_NONE;
		total += in_cut(n->x, e);
		if (wanted)
			++*wanted;
	}
	for (uint32_t i = 0; i < g->sections.len; i++)
		if (g->sections.at[i].rank)
			section[g->sections.at[i].rank - 1] = i;
	return total;
}

static bool line_up(struct dh_saturator *x)
{
	const struct dh_graph *g = x->graph;
	struct line n = {.x = x};
	uint32_t *section = dh_mem_alloc((g->events + 1) * sizeof *section);
	n.done = dh_mem_alloc((g->threads + 1) * sizeof *n.done);
	n.memory = dh_mem_alloc((g->vars + 1) * sizeof *n.memory);
	n.wanted = dh_mem_alloc((g->events + 1) * sizeof *n.wanted);
	n.start_wanted = dh_mem_alloc((g->vars + 1) * sizeof *n.start_wanted);
	uint32_t total = prepare(&n, section);
	x->order.len = 0;
	for (uint32_t e;
	     x->order.len < total && (e = next_event(&n, section)) != DH_NONE;)
		take(&n, x, e);
	dh_mem_free(section, (g->events + 1) * sizeof *section);
	dh_mem_free(n.done, (g->threads + 1) * sizeof *n.done);
	dh_mem_free(n.memory, (g->vars + 1) * sizeof *n.memory);
	dh_mem_free(n.wanted, (g->events + 1) * sizeof *n.wanted);
	dh_mem_free(n.start_wanted, (g->vars + 1) * sizeof *n.start_wanted);
	return x->order.len == total;
}

/* ---- guessing ---- */

/* A section that is open in the cut after one that is closed; of two that are open the
 * one that was earlier in the trace is closed first. */
static int guess(struct dh_saturator *x)
{
	const struct dh_section *at = x->graph->sections.at;
	int outcome = ROUND_DONE;
	for (size_t i = 0; i < x->matters.len; i++) {
		if (!x->matters.at[i].locks)
			continue;
		const struct dh_section *s = &at[x->matters.at[i].one];
		const struct dh_section *t = &at[x->matters.at[i].other];
		bool s_closed = closed(x, s), t_closed = closed(x, t);
		if (!s_closed && !t_closed)
			return grow(x, s->rank < t->rank ? s : t);
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

enum dh_saturation dh_saturate(struct dh_saturator *x, uint32_t a, uint32_t b,
			       const uint32_t *need)
{
	size_t bytes = x->graph->threads * sizeof *x->cut;
	x->a = a;
	x->b = b;
	dh_copy(x->cut, need, bytes);
	if (conclude(x, ROUND_GROWN, false) == ROUND_NO)
		return DH_SATURATED_NO;
	if (line_up(x))
		return DH_SATURATED_YES;
	if (conclude(x, guess(x), true) == ROUND_DONE && line_up(x))
		return DH_SATURATED_YES;
	dh_copy(x->cut, need, bytes); /* without the guesses */
	conclude(x, ROUND_GROWN, false);
	return DH_SATURATED_OPEN;
}
