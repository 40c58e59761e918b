/* SPDX-License-Identifier: MIT */
/*
 * CP by vector clocks. By (c) the events that causally precede e are, in each thread, a
 * prefix, and e has at least those of every event that happens before it. So the clock
 * of e is the join of the clocks of the last event of each thread that happens before e,
 * and at an acquire also of the strong clocks of the releases that (a) or (b) put before
 * it: the gain of the section. (a) is worked out once. (b) asks for the clock at the end
 * of a section, which comes after its acquire in the pass; so passes are repeated until
 * no gain grows.
 */
#include "predict/causal.h"

struct work {
	struct dh_causal *c;
	const struct dh_graph *g;
	const struct dh_clocks *strong;
	uint32_t *gain;	   /* by section, a word for each thread */
	uint32_t *section; /* by event: the section that it begins, or DH_NONE */
	bool grown;
};

static uint32_t *clock_of(const struct work *w, uint32_t e)
{
	return w->c->clock + (size_t)e * w->g->threads;
}

/* Rule (a) or (b) holds between s1, which has a release, and the section number s2. */
static void put_before(struct work *w, const struct dh_section *s1, uint32_t s2)
{
	uint32_t *gain = w->gain + (size_t)s2 * w->g->threads;
	uint32_t release = dh_graph_event(w->g, s1->thread, s1->close - 1);
	if (gain[s1->thread] >= s1->close)
		return; /* the clocks of a thread's releases grow */
	dh_clocks_raise(w->strong, gain, release);
	w->grown = true;
}

static bool excluded(const struct dh_chain *c, const struct dh_section *s)
{
	return c->thread != s->thread && (c->write || s->write);
}

/* ---- rule (a) ---- */

/* By chain and variable: the last section with a read and with a write of it, + 1. */
struct touched {
	struct dh_map reads, writes;
};

static uint64_t chain_var(uint32_t chain, uint32_t var)
{
	return (uint64_t)chain << 32 | var;
}

static uint32_t chain_of(const struct dh_graph *g, uint32_t section)
{
	const struct dh_section *s = &g->sections.at[section];
	uint32_t i = g->lock_chain[s->lock];
	while (g->chains.at[i].first + g->chains.at[i].count <= section)
		i++;
	return i;
}

static void meet(struct work *w, struct touched *t, uint32_t section, uint32_t e)
{
	const struct dh_graph *g = w->g;
	const struct dh_section *s = &g->sections.at[section];
	bool write = dh_graph_step(g, e)->op == DH_WRITE;
	for (uint32_t i = g->lock_chain[s->lock]; i < g->lock_chain[s->lock + 1]; i++) {
		if (!excluded(&g->chains.at[i], s))
			continue;
		uint64_t key = chain_var(i, g->var[e]);
		const uint64_t *wrote = dh_map_get(&t->writes, key);
		const uint64_t *read = write ? dh_map_get(&t->reads, key) : NULL;
		uint64_t last = DH_MAX(wrote ? *wrote : 0, read ? *read : 0);
		if (last && g->sections.at[last - 1].close != DH_NONE)
			put_before(w, &g->sections.at[last - 1], section);
	}
	uint64_t key = chain_var(chain_of(g, section), g->var[e]);
	*dh_map_put(write ? &t->writes : &t->reads, key, NULL) = section + 1;
}

/* The sections that are open at each access, thread by thread in the order of the
 * trace. */
static void rule_a(struct work *w)
{
	const struct dh_graph *g = w->g;
	struct touched t = {0};
	struct dh_vec(uint32_t) *open = dh_mem_alloc((g->threads + 1) * sizeof *open);
	for (uint32_t i = 0; i < g->sections.len; i++)
		if (g->sections.at[i].open == 0)
			dh_vec_push(&open[g->sections.at[i].thread], i);
	for (uint32_t e = 0; e < g->events; e++) {
		uint32_t thread = g->thread[e], kept = 0;
		if (w->section[e] != DH_NONE)
			dh_vec_push(&open[thread], w->section[e]);
		for (size_t i = 0; i < open[thread].len; i++) {
			uint32_t s = open[thread].at[i];
			if (g->sections.at[s].close <= g->position[e])
				continue;
			open[thread].at[kept++] = s;
			if (g->var[e] != DH_NONE)
				meet(w, &t, s, e);
		}
		open[thread].len = kept;
	}
	for (uint32_t i = 0; i < g->threads; i++)
		dh_vec_free(&open[i]);
	dh_mem_free(open, (g->threads + 1) * sizeof *open);
	dh_map_free(&t.reads);
	dh_map_free(&t.writes);
}

/* ---- rule (b) ---- */

static void rule_b_chain(struct work *w, const struct dh_chain *c, uint32_t s2,
			 const uint32_t *last)
{
	const struct dh_section *at = w->g->sections.at + c->first;
	for (uint32_t k = c->count; k-- > 0;) {
		if (at[k].rank >= w->g->sections.at[s2].rank || at[k].close == DH_NONE)
			continue;
		if (last[c->thread] < DH_MAX(at[k].open, 1u))
			continue;
		put_before(w, &at[k], s2);
		return; /* earlier ones of the chain have less */
	}
}

static void rule_b(struct work *w)
{
	const struct dh_graph *g = w->g;
	for (uint32_t i = 0; i < g->sections.len; i++) {
		const struct dh_section *s = &g->sections.at[i];
		uint32_t end =
		    s->close == DH_NONE ? dh_graph_length(g, s->thread) : s->close;
		if (s->open == 0)
			continue;
		const uint32_t *last = clock_of(w, dh_graph_event(g, s->thread, end - 1));
		for (uint32_t k = g->lock_chain[s->lock]; k < g->lock_chain[s->lock + 1];
		     k++)
			if (excluded(&g->chains.at[k], s))
				rule_b_chain(w, &g->chains.at[k], i, last);
	}
}

/* ---- the clocks ---- */

static void raise_to(uint32_t *clock, const uint32_t *with, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		clock[i] = DH_MAX(clock[i], with[i]);
}

static void one_event(struct work *w, uint32_t e)
{
	const struct dh_graph *g = w->g;
	uint32_t thread = g->thread[e], position = g->position[e],
		 *clock = clock_of(w, e);
	uint32_t former = position ? dh_graph_event(g, thread, position - 1) : DH_NONE;
	if (former != DH_NONE)
		raise_to(clock, clock_of(w, former), g->threads);
	for (uint32_t u = 0; u < g->threads; u++) {
		uint32_t known =
		    former == DH_NONE ? 0 : dh_clocks_get(w->strong, former, u);
		uint32_t count = dh_clocks_get(w->strong, e, u);
		if (u != thread && count > known)
			raise_to(clock, clock_of(w, dh_graph_event(g, u, count - 1)),
				 g->threads);
	}
	if (w->section[e] != DH_NONE)
		raise_to(clock, w->gain + (size_t)w->section[e] * g->threads, g->threads);
}

struct dh_causal *dh_causal_new(const struct dh_graph *g, const struct dh_clocks *strong)
{
	struct dh_causal *c = dh_mem_alloc(sizeof *c);
	size_t gains = (g->sections.len + 1) * g->threads * sizeof(uint32_t);
	struct work w = {.c = c, .g = g, .strong = strong};
	c->graph = g;
	c->clock = dh_mem_alloc(((size_t)g->events * g->threads + 1) * sizeof *c->clock);
	w.gain = dh_mem_alloc(gains + 1);
	w.section = dh_mem_alloc((g->events + 1) * sizeof *w.section);
	for (uint32_t e = 0; e < g->events; e++)
		w.section[e] = DH_NONE;
	for (uint32_t i = 0; i < g->sections.len; i++)
		if (g->sections.at[i].open)
			w.section[g->sections.at[i].rank - 1] = i;
	rule_a(&w);
	do {
		w.grown = false;
		for (uint32_t e = 0; e < g->events; e++)
			one_event(&w, e);
		rule_b(&w);
	} while (w.grown);
	dh_mem_free(w.gain, gains + 1);
	dh_mem_free(w.section, (g->events + 1) * sizeof *w.section);
	return c;
}

void dh_causal_free(struct dh_causal *c)
{
	if (!c)
		return;
	dh_mem_free(c->clock, ((size_t)c->graph->events * c->graph->threads + 1) *
				  sizeof *c->clock);
	dh_mem_free(c, sizeof *c);
}
