/* SPDX-License-Identifier: MIT */
/* Takes a window apart; see graph.h. */
#include "predict/graph.h"

#include <stdlib.h>

static uint32_t number(struct dh_map *m, uint64_t key)
{
	bool fresh;
	uint64_t next = m->len;
	uint64_t *n = dh_map_put(m, key, &fresh);
	if (fresh)
		*n = next;
	return (uint32_t)*n;
}

static uint32_t *words(size_t n)
{
	return dh_mem_alloc(DH_MAX(n, (size_t)1) * sizeof(uint32_t));
}

static void drop_words(uint32_t *at, size_t n)
{
	dh_mem_free(at, DH_MAX(n, (size_t)1) * sizeof(uint32_t));
}

/* Turns counts into places: at[k] becomes the sum of those before k. */
static void add_up(uint32_t *at, uint32_t n)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i <= n; i++) {
		uint32_t count = at[i];
		at[i] = sum;
		sum += count;
	}
}

/* ---- threads ---- */

static void number_threads(struct dh_graph *g)
{
	const struct dh_window *w = g->window;
	for (size_t i = 0; i < w->held.len; i++)
		number(&g->thread_number, w->held.at[i].thread);
	for (size_t i = 0; i < w->calls.len; i++)
		number(&g->thread_number, w->calls.at[i].thread);
	for (uint32_t e = 0; e < g->events; e++) {
		const struct dh_step *s = dh_graph_step(g, e);
		g->thread[e] = number(&g->thread_number, s->thread);
		if (s->op == DH_FORK || s->op == DH_JOIN)
			number(&g->thread_number, s->target);
	}
	g->threads = (uint32_t)g->thread_number.len;
}

static void lay_out_threads(struct dh_graph *g)
{
	g->first = words(g->threads + 1);
	for (uint32_t e = 0; e < g->events; e++)
		g->position[e] = g->first[g->thread[e]]++;
	add_up(g->first, g->threads);
	for (uint32_t e = 0; e < g->events; e++)
		g->order[g->first[g->thread[e]] + g->position[e]] = e;
}

/* ---- variables ---- */

/* The first access of the window tells what was there before. */
static void note_start(struct dh_graph *g, struct dh_graph_var *v,
		       const struct dh_step *s)
{
	v->start_known = s->from != DH_NO_EVENT && s->from < g->window->start;
	v->start_has_value = s->from_has_value;
	v->start_value = s->from_value;
	v->start = s->from;
}

static void number_vars(struct dh_graph *g)
{
	struct dh_map numbers = {0};
	for (uint32_t e = 0; e < g->events; e++) {
		const struct dh_step *s = dh_graph_step(g, e);
		g->var[e] = DH_NONE;
		if (dh_op_is_access(s->op))
			g->var[e] = number(&numbers, (uint64_t)s->target << 32 | s->life);
	}
	g->vars = (uint32_t)numbers.len;
	dh_map_free(&numbers);
}

static void lay_out_vars(struct dh_graph *g)
{
	g->var_at = dh_mem_alloc((g->vars + 1) * sizeof *g->var_at);
	for (uint32_t e = 0; e < g->events; e++) {
		if (g->var[e] == DH_NONE)
			continue;
		struct dh_graph_var *v = &g->var_at[g->var[e]];
		const struct dh_step *s = dh_graph_step(g, e);
		if (!v->accesses++)
			note_start(g, v, s);
		v->writes += s->op == DH_WRITE;
	}
	uint32_t writes = 0, accesses = 0;
	for (uint32_t x = 0; x < g->vars; x++) {
		struct dh_graph_var *v = &g->var_at[x];
		v->first_write = writes;
		v->first_access = accesses;
		writes += v->writes;
		accesses += v->accesses;
		v->writes = v->accesses = 0;
	}
	for (uint32_t e = 0; e < g->events; e++) {
		if (g->var[e] == DH_NONE)
			continue;
		struct dh_graph_var *v = &g->var_at[g->var[e]];
		g->accesses[v->first_access + v->accesses++] = e;
		if (dh_graph_step(g, e)->op == DH_WRITE)
			g->writes[v->first_write + v->writes++] = e;
	}
}

/* ---- what reads read ---- */

/* A value that the write before does not explain (it came from what the trace does not
 * show) says nothing about other writes: then it is the write that counts. */
static bool judged_by_value(const struct dh_step *s)
{
	return s->has_value && (s->from == DH_NO_EVENT || !s->from_has_value ||
				s->from_value == s->value);
}

bool dh_graph_serves(const struct dh_graph *g, uint32_t write, uint32_t read)
{
	const struct dh_step *w = dh_graph_step(g, write);
	return g->source[read] == write || (g->by_value[read] && w->has_value &&
					    w->value == dh_graph_step(g, read)->value);
}

bool dh_graph_start_serves(const struct dh_graph *g, uint32_t read)
{
	const struct dh_graph_var *v = &g->var_at[g->var[read]];
	return g->source[read] == DH_SOURCE_START ||
	       (g->by_value[read] && v->start_known && v->start_has_value &&
		v->start_value == dh_graph_step(g, read)->value);
}

static bool is_forced(const struct dh_graph *g, uint32_t read)
{
	const struct dh_graph_var *v = &g->var_at[g->var[read]];
	if (!g->by_value[read])
		return true;
	if (dh_graph_start_serves(g, read))
		return false;
	uint32_t servers = 0;
	for (uint32_t i = 0; i < v->writes && servers < 2; i++)
		servers += dh_graph_serves(g, g->writes[v->first_write + i], read);
	return servers == 1;
}

static void find_sources(struct dh_graph *g)
{
	uint64_t start = g->window->start;
	g->all_forced = true;
	for (uint32_t e = 0; e < g->events; e++) {
		const struct dh_step *s = dh_graph_step(g, e);
		g->source[e] = DH_NONE;
		if (s->op != DH_READ)
			continue;
		g->by_value[e] = judged_by_value(s);
		if (s->from == DH_NO_EVENT)
			g->source[e] = DH_SOURCE_INITIAL;
		else if (s->from < start)
			g->source[e] = DH_SOURCE_START;
		else
			g->source[e] = (uint32_t)(s->from - start);
		if (g->source[e] >= DH_SOURCE_INITIAL)
			continue;
		g->forced[e] = is_forced(g, e);
		g->all_forced &= g->forced[e];
	}
}

/* ---- locks ---- */

struct holder {
	dh_lockset all, write;
};

static uint64_t holding(uint32_t thread, uint32_t lock, bool write)
{
	return (uint64_t)thread << 33 | (uint64_t)lock << 1 | write;
}

/* The sets of locks held after an acquire or release of one mode. */
static void hold(struct dh_graph *g, struct holder *h, struct dh_map *open,
		 const struct dh_section *s, bool on)
{
	struct dh_lockset_table *t = g->locksets;
	uint64_t other = holding(s->thread, s->lock, !s->write);
	if (on) {
		h->all = dh_lockset_add(t, h->all, s->lock);
		if (s->write)
			h->write = dh_lockset_add(t, h->write, s->lock);
		return;
	}
	if (s->write)
		h->write = dh_lockset_remove(t, h->write, s->lock);
	if (!dh_map_get(open, other))
		h->all = dh_lockset_remove(t, h->all, s->lock);
}

static void begin_section(struct dh_graph *g, struct holder *holders, struct dh_map *open,
			  struct dh_section s)
{
	s.close = DH_NONE;
	*dh_map_put(open, holding(s.thread, s.lock, s.write), NULL) = g->sections.len;
	dh_vec_push(&g->sections, s);
	hold(g, &holders[s.thread], open, &s, true);
}

static void lock_event(struct dh_graph *g, struct holder *holders, struct dh_map *open,
		       uint32_t e)
{
	const struct dh_step *s = dh_graph_step(g, e);
	bool acquire = s->op == DH_ACQUIRE || s->op == DH_READ_ACQUIRE;
	uint32_t done = g->position[e] + 1;
	struct dh_section section = {
	    .lock = number(&g->lock_number, s->target),
	    .thread = g->thread[e],
	    .open = done,
	    .rank = e + 1,
	    .write = s->op == DH_ACQUIRE || s->op == DH_RELEASE,
	};
	if (acquire) {
		begin_section(g, holders, open, section);
		return;
	}
	uint64_t key = holding(section.thread, section.lock, section.write);
	const uint64_t *at = dh_map_get(open, key);
	if (!at)
		return; /* the reader lets no such release through */
	g->sections.at[*at].close = done;
	dh_map_remove(open, key);
	hold(g, &holders[section.thread], open, &section, false);
}

static void find_sections(struct dh_graph *g)
{
	struct dh_map open = {0};
	size_t bytes = (g->threads + 1) * sizeof(struct holder);
	struct holder *holders = dh_mem_alloc(bytes);
	for (size_t i = 0; i < g->window->held.len; i++) {
		const struct dh_window_lock *h = &g->window->held.at[i];
		begin_section(g, holders, &open,
			      (struct dh_section){
				  .lock = number(&g->lock_number, h->lock),
				  .thread = number(&g->thread_number, h->thread),
				  .write = h->write,
			      });
	}
	for (uint32_t e = 0; e < g->events; e++) {
		const struct dh_step *s = dh_graph_step(g, e);
		if (s->op >= DH_ACQUIRE && s->op <= DH_READ_RELEASE && !s->nested)
			lock_event(g, holders, &open, e);
		g->held[e] = holders[g->thread[e]].all;
		g->held_write[e] = holders[g->thread[e]].write;
	}
	g->locks = (uint32_t)g->lock_number.len;
	dh_map_free(&open);
	dh_mem_free(holders, bytes);
}

static int by_chain(const void *x, const void *y)
{
	const struct dh_section *a = x, *b = y;
	if (a->lock != b->lock)
		return a->lock < b->lock ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->write != b->write)
		return a->write ? 1 : -1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static void chain_up(struct dh_graph *g)
{
	if (g->sections.len)
		qsort(g->sections.at, g->sections.len, sizeof *g->sections.at, by_chain);
	g->lock_chain = words(g->locks + 1);
	for (uint32_t i = 0; i < g->sections.len; i++) {
		const struct dh_section *s = &g->sections.at[i];
		struct dh_chain *c =
		    g->chains.len ? &g->chains.at[g->chains.len - 1] : NULL;
		if (!c || c->lock != s->lock || c->thread != s->thread ||
		    c->write != s->write) {
			dh_vec_push(&g->chains, (struct dh_chain){s->lock, s->thread, i,
								  0, s->write});
			c = &g->chains.at[g->chains.len - 1];
			g->lock_chain[s->lock]++;
		}
		c->count++;
	}
	add_up(g->lock_chain, g->locks);
}

/* Sections by thread in the order of their acquires: merged from the chains by going
 * over the events again. */
static void sort_by_thread(struct dh_graph *g)
{
	uint32_t count = (uint32_t)g->sections.len, *at = words(g->threads + 1);
	struct dh_map by_rank = {0};
	g->section_thread = words(count);
	g->section_first = words(g->threads + 1);
	for (uint32_t i = 0; i < count; i++)
		g->section_first[g->sections.at[i].thread]++;
	add_up(g->section_first, g->threads);
	dh_copy(at, g->section_first, (g->threads + 1) * sizeof *at);
	for (uint32_t i = 0; i < count; i++) {
		const struct dh_section *s = &g->sections.at[i];
		if (s->rank == 0)
			g->section_thread[at[s->thread]++] = i;
		else
			*dh_map_put(&by_rank, s->rank, NULL) = i;
	}
	for (uint32_t e = 0; e < g->events; e++) {
		const uint64_t *i = dh_map_get(&by_rank, e + 1);
		if (i)
			g->section_thread[at[g->thread[e]]++] = (uint32_t)*i;
	}
	dh_map_free(&by_rank);
	drop_words(at, g->threads + 1);
}

bool dh_graph_common_lock(const struct dh_graph *g, uint32_t a, uint32_t b)
{
	struct dh_lockset_table *t = g->locksets;
	return dh_lockset_intersect(t, g->held[a], g->held_write[b]) !=
		   DH_LOCKSET_EMPTY ||
	       dh_lockset_intersect(t, g->held_write[a], g->held[b]) != DH_LOCKSET_EMPTY;
}

/* ---- the whole ---- */

struct dh_graph *dh_graph_new(const struct dh_window *w)
{
	struct dh_graph *g = dh_mem_alloc(sizeof *g);
	uint32_t n = (uint32_t)w->steps.len;
	g->window = w;
	g->events = n;
	uint32_t **arrays[] = {&g->thread,     &g->position, &g->order,
			       &g->var,	       &g->source,   &g->held,
			       &g->held_write, &g->writes,   &g->accesses};
	for (size_t i = 0; i < DH_ARRAY_LEN(arrays); i++)
		*arrays[i] = words(n);
	g->by_value = dh_mem_alloc(n + 1);
	g->forced = dh_mem_alloc(n + 1);
	g->locksets = dh_lockset_table_new();
	number_threads(g);
	lay_out_threads(g);
	number_vars(g);
	lay_out_vars(g);
	find_sources(g);
	find_sections(g);
	chain_up(g);
	sort_by_thread(g);
	return g;
}

void dh_graph_free(struct dh_graph *g)
{
	uint32_t n = g->events;
	uint32_t *arrays[] = {g->thread, g->position,	g->order,  g->var,     g->source,
			      g->held,	 g->held_write, g->writes, g->accesses};
	for (size_t i = 0; i < DH_ARRAY_LEN(arrays); i++)
		drop_words(arrays[i], n);
	dh_mem_free(g->by_value, n + 1);
	dh_mem_free(g->forced, n + 1);
	dh_mem_free(g->var_at, (g->vars + 1) * sizeof *g->var_at);
	drop_words(g->first, g->threads + 1);
	drop_words(g->lock_chain, g->locks + 1);
	drop_words(g->section_thread, g->sections.len);
	drop_words(g->section_first, g->threads + 1);
	dh_vec_free(&g->sections);
	dh_vec_free(&g->chains);
	dh_map_free(&g->thread_number);
	dh_map_free(&g->lock_number);
	dh_lockset_table_free(g->locksets);
	dh_mem_free(g, sizeof *g);
}
