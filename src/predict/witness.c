/* SPDX-License-Identifier: MIT */
/*
 * Schedules. What the solver gives back holds whatever it happened to put before the
 * race; here it is cut down to what the two accesses need in that order: what must come
 * before them, the writes that the reads among it read from, and the releases of locks
 * that are taken again.
 */
#include "predict/witness.h"

#include <stdlib.h>

void dh_witness_kept(struct dh_witness *to, const struct dh_graph *g, const uint32_t *cut,
		     uint32_t a, uint32_t b)
{
	to->events.len = 0;
	for (uint32_t e = 0; e < g->events; e++)
		if (g->position[e] < cut[g->thread[e]])
			dh_vec_push(&to->events, e);
	dh_vec_push(&to->events, a);
	dh_vec_push(&to->events, b);
}

/* ---- the order of places ---- */

struct placed {
	int64_t place;
	uint32_t event;
};

static int by_place(const void *x, const void *y)
{
	const struct placed *a = x, *b = y;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

struct shrinker {
	const struct dh_graph *g;
	const struct dh_clocks *must;
	struct dh_vec(struct placed) order;
	uint32_t *need;	   /* the cut that is wanted */
	uint32_t *source;  /* by event of the order: the write that a read gets there */
	uint32_t *section; /* by event: the section that it begins, or DH_NONE */
	uint32_t *at;	   /* by event: its place in the order + 1; 0: not in it */
};

/* ---- shrinking ---- */

static bool wanted(const struct shrinker *x, uint32_t e)
{
	return x->g->position[e] < x->need[x->g->thread[e]];
}

static bool want(struct shrinker *x, uint32_t e)
{
	if (wanted(x, e))
		return false;
	dh_clocks_raise(x->must, x->need, e);
	return true;
}

/* Which write each read gets in this order. */
static void find_sources(struct shrinker *x)
{
	const struct dh_graph *g = x->g;
	uint32_t *last = dh_mem_alloc((g->vars + 1) * sizeof *last); /* + 1; 0: none */
	for (size_t i = 0; i < x->order.len; i++) {
		uint32_t e = x->order.at[i].event;
		if (g->var[e] == DH_NONE)
			continue;
		x->source[e] = last[g->var[e]] - 1; /* DH_NONE where there is none */
		if (dh_graph_step(g, e)->op == DH_WRITE)
			last[g->var[e]] = e + 1;
	}
	dh_mem_free(last, (g->vars + 1) * sizeof *last);
}

/* Sections that are begun before this one and exclude it must be closed. */
static bool want_releases(struct shrinker *x, size_t place)
{
	const struct dh_graph *g = x->g;
	uint32_t mine = x->section[x->order.at[place].event];
	const struct dh_section *s = &g->sections.at[mine];
	bool grown = false;
	for (uint32_t i = g->lock_chain[s->lock]; i < g->lock_chain[s->lock + 1]; i++) {
		const struct dh_chain *c = &g->chains.at[i];
		for (uint32_t k = 0; k < c->count; k++) {
			const struct dh_section *o = &g->sections.at[c->first + k];
			if (!dh_section_excludes(s, o) || o->close == DH_NONE)
				continue;
			uint32_t release = dh_graph_event(g, o->thread, o->close - 1);
			bool earlier = x->at[release] && x->at[release] <= place;
			if (earlier && o->open <= x->need[o->thread])
				grown |= want(x, release);
		}
	}
	return grown;
}

static void shrink(struct shrinker *x)
{
	const struct dh_graph *g = x->g;
	for (bool grown = true; grown;) {
		grown = false;
		for (size_t i = 0; i < x->order.len; i++) {
			uint32_t e = x->order.at[i].event;
			if (!wanted(x, e))
				continue;
			if (g->source[e] != DH_NONE && x->source[e] != DH_NONE)
				grown |= want(x, x->source[e]);
			if (x->section[e] != DH_NONE)
				grown |= want_releases(x, i);
		}
	}
}

static void start(struct shrinker *x, const uint32_t *cut, const int64_t *place,
		  uint32_t a, uint32_t b)
{
	const struct dh_graph *g = x->g;
	for (uint32_t e = 0; e < g->events; e++) {
		x->section[e] = x->source[e] = DH_NONE;
		if (g->position[e] < cut[g->thread[e]])
			dh_vec_push(&x->order, (struct placed){place[e], e});
	}
	for (uint32_t i = 0; i < g->sections.len; i++)
		if (g->sections.at[i].rank)
			x->section[g->sections.at[i].rank - 1] = i;
	for (uint32_t t = 0; t < g->threads; t++)
		x->need[t] = DH_MAX(dh_clocks_ready(x->must, a, t),
				    dh_clocks_ready(x->must, b, t));
	if (x->order.len)
		qsort(x->order.at, x->order.len, sizeof *x->order.at, by_place);
	for (size_t i = 0; i < x->order.len; i++)
		x->at[x->order.at[i].event] = (uint32_t)i + 1;
}

void dh_witness_placed(struct dh_witness *to, const struct dh_graph *g,
		       const struct dh_clocks *must, const uint32_t *cut,
		       const int64_t *place, uint32_t a, uint32_t b)
{
	struct shrinker x = {.g = g, .must = must};
	x.need = dh_mem_alloc((g->threads + 1) * sizeof *x.need);
	x.source = dh_mem_alloc((g->events + 1) * sizeof *x.source);
	x.section = dh_mem_alloc((g->events + 1) * sizeof *x.section);
	x.at = dh_mem_alloc((g->events + 1) * sizeof *x.at);
	start(&x, cut, place, a, b);
	find_sources(&x);
	shrink(&x);
	to->events.len = 0;
	for (size_t i = 0; i < x.order.len; i++)
		if (wanted(&x, x.order.at[i].event))
			dh_vec_push(&to->events, x.order.at[i].event);
	dh_vec_push(&to->events, a);
	dh_vec_push(&to->events, b);
	dh_mem_free(x.need, (g->threads + 1) * sizeof *x.need);
	dh_mem_free(x.source, (g->events + 1) * sizeof *x.source);
	dh_mem_free(x.section, (g->events + 1) * sizeof *x.section);
	dh_mem_free(x.at, (g->events + 1) * sizeof *x.at);
	dh_vec_free(&x.order);
}
