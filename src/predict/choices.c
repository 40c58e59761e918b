/* SPDX-License-Identifier: MIT */
/*
 * See choices.h. What a read gets is the last write before it. A write that serves it
 * cannot be that if it comes after the read, if another write is known to come between
 * the two, or if it comes after one of the racing accesses.
 */
#include "predict/choices.h"

/* How many events of the thread come before the write, itself included. What is not in
 * the cut comes after all of its thread that is. */
static uint32_t known_before(const struct dh_saturator *x, uint32_t write,
			     uint32_t thread)
{
	const struct dh_graph *g = x->graph;
	uint32_t own = g->thread[write], done = x->cut[own];
	if (thread == own)
		return g->position[write] + 1;
	if (dh_saturated_has(x, write))
		return dh_saturated_row(x, write)[thread];
	uint32_t known = dh_clocks_get(x->must, write, thread);
	if (done)
		known = DH_MAX(
		    known, dh_saturated_row(x, dh_graph_event(g, own, done - 1))[thread]);
	return known;
}

static bool comes_after(const struct dh_saturator *x, uint32_t write, uint32_t e)
{
	const struct dh_graph *g = x->graph;
	return known_before(x, write, g->thread[e]) > g->position[e];
}

/* Fills in x->latest: of each thread the last write that is known to come before the
 * read, or DH_NONE. True: there is one. */
static bool find_latest(const struct dh_saturator *x, const struct dh_graph_var *v,
			uint32_t read)
{
	const struct dh_graph *g = x->graph;
	bool some = false;
	for (uint32_t t = 0; t < g->threads; t++)
		x->latest[t] = DH_NONE;
	for (uint32_t i = 0; i < v->writes; i++) {
		uint32_t w = g->writes[v->first_write + i];
		if (!dh_saturated_has(x, w) || !dh_saturated_before(x, w, read))
			continue;
		x->latest[g->thread[w]] = w;
		some = true;
	}
	return some;
}

/* Does another write come between this one and the read? */
static bool is_covered(const struct dh_saturator *x, uint32_t write)
{
	for (uint32_t t = 0; t < x->graph->threads; t++) {
		uint32_t w = x->latest[t];
		if (w != DH_NONE && w != write && dh_saturated_before(x, write, w))
			return true;
	}
	return false;
}

static bool is_possible(const struct dh_saturator *x, uint32_t write, uint32_t read)
{
	if (!dh_graph_serves(x->graph, write, read) || comes_after(x, write, read))
		return false;
	if (dh_saturated_has(x, write))
		return !is_covered(x, write);
	return !comes_after(x, write, x->a) && !comes_after(x, write, x->b);
}

struct dh_choice dh_choice_of(const struct dh_saturator *x, uint32_t read)
{
	const struct dh_graph *g = x->graph;
	const struct dh_graph_var *v = &g->var_at[g->var[read]];
	bool start = !find_latest(x, v, read) && dh_graph_start_serves(g, read);
	struct dh_choice c = {.count = start, .write = DH_NONE};
	for (uint32_t t = 0; t < g->threads; t++)
		x->meet[t] = start ? 0 : UINT32_MAX;
	for (uint32_t i = 0; i < v->writes; i++) {
		uint32_t w = g->writes[v->first_write + i];
		if (!is_possible(x, w, read))
			continue;
		c.count = DH_MIN(c.count + 1, 2u);
		c.write = w;
		for (uint32_t t = 0; t < g->threads && !start; t++)
			x->meet[t] = DH_MIN(x->meet[t], known_before(x, w, t));
	}
	return c;
}
