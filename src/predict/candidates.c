/* SPDX-License-Identifier: MIT */
/* Groups of accesses and their pairs; see candidates.h. */
#include "predict/candidates.h"

#include <stdlib.h>

/* An access on its way into a group. */
struct entry {
	uint32_t event;
	uint32_t thread;
	dh_location location;
	dh_lockset held, held_write;
	bool write;
};

struct finder {
	struct dh_candidates *c;
	const struct dh_graph *g;
	const struct dh_candidates_config *config;
	struct dh_vec(struct entry) entries; /* of one variable */
};

static dh_location location_of(const struct dh_graph *g, uint32_t e)
{
	uint32_t site = dh_graph_step(g, e)->site;
	return site == DH_SITE_NONE ? DH_LOCATION_OF_EVENT | (g->window->start + e)
				    : site;
}

static int by_group(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
#define BY(field)                                                                        \
	if (a->field != b->field)                                                        \
		return a->field < b->field ? -1 : 1;
	BY(thread)
	BY(location)
	BY(write)
	BY(held)
	BY(held_write)
	BY(event)
#undef BY
	return 0;
}

static bool same_group(const struct entry *a, const struct entry *b)
{
	return a->thread == b->thread && a->location == b->location &&
	       a->write == b->write && a->held == b->held &&
	       a->held_write == b->held_write;
}

/* Did the thread do nothing but accesses of this kind from a to b, and no writes to
 * memory that somebody must have allocated first? */
static bool only_between(const struct dh_graph *g, uint32_t a, uint32_t b, enum dh_op op)
{
	for (uint32_t p = g->position[a] + 1; p <= g->position[b]; p++) {
		const struct dh_step *s =
		    dh_graph_step(g, dh_graph_event(g, g->thread[a], p));
		if (s->op != op || (op == DH_WRITE && s->life))
			return false;
	}
	return true;
}

/* Reads in a row: where the later one can race the first can too, since nothing depends
 * on a read. Writes in a row: where the first can, the thread can go on to the later one
 * first. */
static bool stands_for(const struct finder *f, const struct entry *a,
		       const struct entry *b)
{
	const struct dh_graph *g = f->g;
	enum { FAR = 16 };
	return f->config->merge && g->position[b->event] - g->position[a->event] <= FAR &&
	       only_between(g, a->event, b->event, a->write ? DH_WRITE : DH_READ);
}

static void add_member(struct finder *f, const struct entry *former,
		       const struct entry *e)
{
	struct dh_candidates *c = f->c;
	struct dh_group *group = &c->groups.at[c->groups.len - 1];
	if (former && stands_for(f, former, e)) {
		if (e->write)
			c->members.at[c->members.len - 1] = e->event;
		return;
	}
	dh_vec_push(&c->members, e->event);
	group->count++;
}

static void make_groups(struct finder *f, uint32_t var)
{
	struct dh_candidates *c = f->c;
	const struct dh_graph_var *v = &f->g->var_at[var];
	f->entries.len = 0;
	for (uint32_t i = 0; i < v->accesses; i++) {
		uint32_t e = f->g->accesses[v->first_access + i];
		dh_vec_push(&f->entries,
			    (struct entry){e, f->g->thread[e], location_of(f->g, e),
					   f->g->held[e], f->g->held_write[e],
					   dh_graph_step(f->g, e)->op == DH_WRITE});
	}
	qsort(f->entries.at, f->entries.len, sizeof *f->entries.at, by_group);
	for (size_t i = 0; i < f->entries.len; i++) {
		const struct entry *e = &f->entries.at[i];
		const struct entry *former = i ? e - 1 : NULL;
		if (!former || !same_group(former, e)) {
			former = NULL;
			dh_vec_push(&c->groups, (struct dh_group){
						    var, e->thread, e->location, e->write,
						    (uint32_t)c->members.len, 0});
		}
		add_member(f, former, e);
	}
}

static uint32_t first_event(const struct dh_candidates *c, uint32_t group)
{
	return c->members.at[c->groups.at[group].first];
}

static uint32_t last_event(const struct dh_candidates *c, uint32_t group)
{
	const struct dh_group *g = &c->groups.at[group];
	return c->members.at[g->first + g->count - 1];
}

/* Is all of one group before all of the other? With many short threads that is so for
 * most pairs. */
static bool is_ordered(const struct finder *f, uint32_t i, uint32_t k)
{
	const struct dh_candidates_config *o = f->config;
	return o->before(o->context, last_event(f->c, i), first_event(f->c, k)) ||
	       o->before(o->context, last_event(f->c, k), first_event(f->c, i));
}

static void pair_up(struct finder *f, uint32_t i, uint32_t k)
{
	struct dh_candidates *c = f->c;
	const struct dh_group *a = &c->groups.at[i], *b = &c->groups.at[k];
	if (a->thread == b->thread || (!a->write && !b->write))
		return;
	uint32_t x = first_event(c, i), y = first_event(c, k);
	if (f->config->protect && dh_graph_common_lock(f->g, x, y)) {
		c->protected_pairings++;
		return;
	}
	if (is_ordered(f, i, k)) {
		c->ordered_pairings++;
		return;
	}
	dh_vec_push(&c->pairings, (struct dh_pairing){
				      .low = DH_MIN(a->location, b->location),
				      .high = DH_MAX(a->location, b->location),
				      .one = y < x ? k : i,
				      .other = y < x ? i : k,
				      .first = DH_MIN(x, y),
				      .second = DH_MAX(x, y),
				  });
}

static bool is_shared(const struct dh_graph *g, uint32_t var)
{
	const struct dh_graph_var *v = &g->var_at[var];
	const uint32_t *at = g->accesses + v->first_access;
	for (uint32_t i = 1; v->writes && i < v->accesses; i++)
		if (g->thread[at[i]] != g->thread[at[0]])
			return true;
	return false;
}

static int by_locations(const void *x, const void *y)
{
	const struct dh_pairing *a = x, *b = y;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high < b->high ? -1 : 1;
	if (a->second != b->second)
		return a->second < b->second ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

void dh_candidates_find(struct dh_candidates *c, const struct dh_graph *g,
			const struct dh_candidates_config *config)
{
	struct finder f = {.c = c, .g = g, .config = config};
	for (uint32_t x = 0; x < g->vars; x++) {
		uint32_t first = (uint32_t)c->groups.len;
		if (!is_shared(g, x))
			continue;
		make_groups(&f, x);
		for (uint32_t i = first; i < c->groups.len; i++)
			for (uint32_t k = i + 1; k < c->groups.len; k++)
				pair_up(&f, i, k);
	}
	if (c->pairings.len)
		qsort(c->pairings.at, c->pairings.len, sizeof *c->pairings.at,
		      by_locations);
	dh_vec_free(&f.entries);
}

void dh_candidates_free(struct dh_candidates *c)
{
	dh_vec_free(&c->groups);
	dh_vec_free(&c->members);
	dh_vec_free(&c->pairings);
}
