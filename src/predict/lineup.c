/* SPDX-License-Identifier: MIT */
/* See lineup.h. */
#include "predict/lineup.h"

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
	const uint32_t *row = dh_saturated_row(n->x, e);
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
	if (source == DH_NONE || !dh_saturated_source(n->x, e))
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
		uint32_t *wanted = dh_saturated_has(n->x, e) ? waiting(n, e) : NULL;
		section[e] = DH_NONE;
		total += dh_saturated_has(n->x, e);
		if (wanted)
			++*wanted;
	}
	for (uint32_t i = 0; i < g->sections.len; i++)
		if (g->sections.at[i].rank)
			section[g->sections.at[i].rank - 1] = i;
	return total;
}

bool dh_line_up(struct dh_saturator *x)
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
