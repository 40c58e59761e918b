/* SPDX-License-Identifier: MIT */
/*
 * The two closures of refute.h. Both start from what makes the two accesses the next
 * events of their threads, and grow the cut until nothing more follows:
 *
 *   - with an event all that its clock has;
 *   - refuting: a section that cannot end before the race (its release is missing, or
 *     comes after one of the two accesses) is held to the end, so all others of its lock
 *     that were begun must be closed;
 *   - confirming: of two sections in the cut that exclude each other, the one that was
 *     earlier in the trace must be closed.
 */
#include "predict/refute.h"

struct closure {
	struct dh_refuter *r;
	const struct dh_clocks *clocks;
	uint32_t a, b;
	bool confirming;
	bool failed;
};

void dh_refuter_init(struct dh_refuter *r, const struct dh_graph *g,
		     const struct dh_clocks *must, const struct dh_clocks *kept)
{
	*r = (struct dh_refuter){.graph = g, .must = must, .kept = kept};
	r->cut = dh_mem_alloc((g->threads + 1) * sizeof *r->cut);
	r->seen = dh_mem_alloc((g->threads + 1) * sizeof *r->seen);
}

void dh_refuter_free(struct dh_refuter *r)
{
	dh_mem_free(r->cut, (r->graph->threads + 1) * sizeof *r->cut);
	dh_mem_free(r->seen, (r->graph->threads + 1) * sizeof *r->seen);
}

/* Is the event at or after one of the two accesses? */
static bool past(const struct closure *x, uint32_t event)
{
	const struct dh_graph *g = x->r->graph;
	return dh_clocks_get(x->clocks, event, g->thread[x->a]) > g->position[x->a] ||
	       dh_clocks_get(x->clocks, event, g->thread[x->b]) > g->position[x->b];
}

static uint32_t release_of(const struct dh_graph *g, const struct dh_section *s)
{
	return dh_graph_event(g, s->thread, s->close - 1);
}

/* Held to the end, whatever the schedule? */
static bool stuck(const struct closure *x, const struct dh_section *s)
{
	return s->close == DH_NONE || past(x, release_of(x->r->graph, s));
}

static void must_close(struct closure *x, const struct dh_section *s)
{
	const struct dh_graph *g = x->r->graph;
	if (s->close == DH_NONE || past(x, release_of(g, s))) {
		x->failed = true;
		return;
	}
	dh_clocks_raise(x->clocks, x->r->cut, release_of(g, s));
	x->r->steps += g->threads;
}

/* The last section of a chain that the cut has begun, or NULL. */
static const struct dh_section *last_begun(const struct closure *x,
					   const struct dh_chain *c)
{
	const struct dh_section *at = x->r->graph->sections.at + c->first;
	uint32_t low = 0, high = c->count, done = x->r->cut[c->thread];
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (at[middle].open <= done)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &at[low - 1] : NULL;
}

static bool is_open(const struct closure *x, const struct dh_section *s)
{
	return s->close == DH_NONE || s->close > x->r->cut[s->thread];
}

/* A section that has come into the cut, against the last one of each other thread; those
 * before it are closed by the order of their thread. */
static void against_others(struct closure *x, const struct dh_section *s)
{
	const struct dh_graph *g = x->r->graph;
	bool held = !x->confirming && is_open(x, s) && stuck(x, s);
	for (uint32_t i = g->lock_chain[s->lock]; i < g->lock_chain[s->lock + 1]; i++) {
		const struct dh_section *o = last_begun(x, &g->chains.at[i]);
		x->r->steps++;
		if (x->failed)
			return;
		if (!o || !dh_section_excludes(s, o))
			continue;
		bool o_open = is_open(x, o), s_open = is_open(x, s);
		if (x->confirming) {
			const struct dh_section *earlier = o->rank < s->rank ? o : s;
			if (earlier == o ? o_open : s_open)
				must_close(x, earlier);
		} else if (held && o_open) {
			must_close(x, o);
		} else if (s_open && o_open && stuck(x, o)) {
			must_close(x, s);
		}
	}
}

/* Looks at sections as they come into the cut, until none does. */
static void close_over(struct closure *x)
{
	const struct dh_graph *g = x->r->graph;
	dh_zero(x->r->seen, g->threads * sizeof *x->r->seen);
	for (bool moved = true; moved && !x->failed;) {
		moved = false;
		for (uint32_t t = 0; t < g->threads && !x->failed; t++) {
			uint32_t first = g->section_first[t];
			uint32_t count = g->section_first[t + 1] - first;
			while (x->r->seen[t] < count && !x->failed) {
				uint32_t i = g->section_thread[first + x->r->seen[t]];
				const struct dh_section *s = &g->sections.at[i];
				if (s->open > x->r->cut[t])
					break;
				x->r->seen[t]++;
				moved = true;
				against_others(x, s);
			}
		}
		x->r->steps += g->threads;
	}
}

static void begin(struct closure *x)
{
	const struct dh_graph *g = x->r->graph;
	for (uint32_t t = 0; t < g->threads; t++)
		x->r->cut[t] = DH_MAX(dh_clocks_ready(x->clocks, x->a, t),
				      dh_clocks_ready(x->clocks, x->b, t));
	x->r->steps += g->threads;
	x->failed = x->r->cut[g->thread[x->a]] > g->position[x->a] ||
		    x->r->cut[g->thread[x->b]] > g->position[x->b];
}

bool dh_refute(struct dh_refuter *r, uint32_t a, uint32_t b)
{
	struct closure x = {.r = r, .clocks = r->must, .a = a, .b = b};
	begin(&x);
	if (!x.failed)
		close_over(&x);
	return x.failed;
}

bool dh_confirm(struct dh_refuter *r, uint32_t a, uint32_t b)
{
	struct closure x = {
	    .r = r, .clocks = r->kept, .a = a, .b = b, .confirming = true};
	begin(&x);
	if (!x.failed)
		close_over(&x);
	return !x.failed;
}
