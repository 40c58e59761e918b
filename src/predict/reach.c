/* SPDX-License-Identifier: MIT */
/*
 * Sets of variables as sets of classes; see reach.h. Parting is partition refinement: of
 * each class that a new set touches, the part inside becomes a class of its own, in one
 * pass over the variables. Putting together does not go over the variables at all: a
 * class is told where its members are now, and a variable finds its class that way, with
 * shorter ways each time (union-find). When many have come and gone, all get new numbers.
 */
#include "predict/reach.h"

/* Numbers of classes that were put into others are spent; so many may be. */
enum { SPENT_MIN = 1024, SPENT_SHARE = 8 /* of the variables */ };

void dh_reach_free(struct dh_reach *r)
{
	for (size_t i = 0; i < r->classes.len; i++)
		dh_vec_free(&r->classes.at[i].sets);
	dh_vec_free(&r->sets);
	dh_vec_free(&r->free);
	dh_vec_free(&r->dead);
	dh_map_free(&r->by_hash);
	dh_vec_free(&r->classes);
	dh_vec_free(&r->live);
	dh_vec_free(&r->touched);
	dh_vec_free(&r->vars);
}

/* Begins with a number that no element is likely to cancel out. */
static uint64_t hash_of(const uint32_t *at, size_t count)
{
	uint64_t hash = dh_mix(count + 1);
	for (size_t i = 0; i < count; i++)
		hash = dh_mix(hash ^ at[i]);
	return hash;
}

/* ---- classes ---- */

static uint32_t find(struct dh_reach *r, uint32_t class)
{
	struct dh_reach_class *at = r->classes.at;
	while (at[class].into != class) {
		at[class].into = at[at[class].into].into;
		class = at[class].into;
	}
	return class;
}

static uint32_t class_of(struct dh_reach *r, uint32_t var)
{
	return r->vars.at[var].class = find(r, r->vars.at[var].class);
}

uint32_t dh_reach_class(struct dh_reach *r, uint32_t var)
{
	return var < r->vars.len ? class_of(r, var) : 0;
}

static uint32_t new_class(struct dh_reach *r, uint32_t size)
{
	uint32_t class = (uint32_t)r->classes.len;
	dh_vec_push(&r->classes, (struct dh_reach_class){.into = class, .size = size});
	return class;
}

/* A new look: no variable and no class counts as seen. */
static void look_anew(struct dh_reach *r)
{
	if (++r->look != 0)
		return;
	for (size_t i = 0; i < r->vars.len; i++)
		r->vars.at[i].seen = 0;
	for (size_t i = 0; i < r->classes.len; i++)
		r->classes.at[i].seen = 0;
	r->look = 1;
}

/* True the first time that it is asked in a look. */
static bool is_new(struct dh_reach *r, uint32_t *seen)
{
	bool new = *seen != r->look;
	*seen = r->look;
	return new;
}

/* ---- a set that is known ---- */

static bool has(const struct dh_reach_class *c, uint32_t set)
{
	for (size_t i = c->sets.len; i-- > 0;)
		if (c->sets.at[i] == set)
			return true;
	return false;
}

/* Are these the variables of the set? */
static bool is_set(struct dh_reach *r, uint32_t set, const uint32_t *vars, uint32_t count)
{
	uint32_t size = 0;
	look_anew(r);
	for (uint32_t i = 0; i < count; i++) {
		if (!is_new(r, &r->vars.at[vars[i]].seen))
			continue;
		struct dh_reach_class *c = &r->classes.at[class_of(r, vars[i])];
		if (is_new(r, &c->seen) && !has(c, set))
			return false;
		size++;
	}
	return size == r->sets.at[set].size;
}

/* ---- a new set ---- */

static uint32_t new_set(struct dh_reach *r, uint64_t hash)
{
	uint32_t set = (uint32_t)r->sets.len;
	if (r->free.len)
		set = dh_vec_pop(&r->free);
	else
		dh_vec_grow(&r->sets, r->sets.len + 1);
	r->sets.at[set] = (struct dh_reach_set){.hash = hash, .uses = 1};
	return set;
}

/* How many of the variables are in each class. */
static void touch(struct dh_reach *r, uint32_t set, const uint32_t *vars, uint32_t count)
{
	look_anew(r);
	r->touched.len = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!is_new(r, &r->vars.at[vars[i]].seen))
			continue;
		uint32_t class = class_of(r, vars[i]);
		if (r->classes.at[class].touched++ == 0)
			dh_vec_push(&r->touched, class);
		r->sets.at[set].size++;
	}
}

/* The part of a class that is in the set: all of it, or a new class. */
static void part(struct dh_reach *r, uint32_t class, uint32_t set)
{
	struct dh_reach_class *c = &r->classes.at[class];
	uint32_t inside = c->touched;
	c->touched = 0;
	c->part = class;
	if (class != 0 && inside == c->size) {
		dh_vec_push(&c->sets, set);
		return;
	}
	uint32_t new = new_class(r, inside);
	dh_vec_push(&r->live, new);
	struct dh_reach_class *p = &r->classes.at[new];
	c = &r->classes.at[class]; /* the array may have moved */
	c->part = p->part = new;
	c->size -= class ? inside : 0;
	for (size_t i = 0; i < c->sets.len; i++)
		dh_vec_push(&p->sets, c->sets.at[i]);
	dh_vec_push(&p->sets, set);
}

static uint32_t add(struct dh_reach *r, uint64_t hash, const uint32_t *vars,
		    uint32_t count)
{
	uint32_t set = new_set(r, hash);
	touch(r, set, vars, count);
	for (size_t i = 0; i < r->touched.len; i++)
		part(r, r->touched.at[i], set);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *class = &r->vars.at[vars[i]].class;
		*class = r->classes.at[*class].part;
	}
	return set;
}

/* ---- uses ---- */

static void make_room(struct dh_reach *r, const uint32_t *vars, uint32_t count)
{
	uint32_t last = 0;
	for (uint32_t i = 0; i < count; i++)
		last = DH_MAX(last, vars[i]);
	dh_vec_grow(&r->vars, (size_t)last + 1);
	if (!r->classes.len)
		new_class(r, 0);
	dh_vec_grow(&r->sets, 1);
}

uint32_t dh_reach_use(struct dh_reach *r, const uint32_t *vars, uint32_t count)
{
	if (!count)
		return 0;
	make_room(r, vars, count);
	uint64_t hash = hash_of(vars, count);
	uint64_t *known = dh_map_put(&r->by_hash, hash, NULL);
	if (*known && is_set(r, (uint32_t)*known, vars, count))
		r->sets.at[*known].uses++;
	else
		*known = add(r, hash, vars, count);
	return (uint32_t)*known;
}

void dh_reach_drop(struct dh_reach *r, uint32_t set)
{
	if (set && --r->sets.at[set].uses == 0)
		dh_vec_push(&r->dead, set);
}

/* ---- tidying up ---- */

static void drop_dead_sets(struct dh_reach *r, struct dh_reach_class *c)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->sets.len; i++)
		if (r->sets.at[c->sets.at[i]].uses)
			c->sets.at[kept++] = c->sets.at[i];
	c->sets.len = kept;
}

static void put_into(struct dh_reach *r, uint32_t class, uint32_t other)
{
	struct dh_reach_class *c = &r->classes.at[class], *o = &r->classes.at[other];
	c->into = other;
	o->size += other ? c->size : 0;
	c->size = 0;
	dh_vec_free(&c->sets);
}

/* Puts a class that is in no set, or in the same ones as another, where it belongs.
 * False: it is no longer in use. */
static bool settle(struct dh_reach *r, struct dh_map *settled, uint32_t class)
{
	const struct dh_reach_class *c = &r->classes.at[class];
	bool fresh;
	if (!c->sets.len) {
		put_into(r, class, 0);
		return false;
	}
	uint64_t hash = hash_of(c->sets.at, c->sets.len);
	uint64_t *other = dh_map_put(settled, hash, &fresh);
	if (fresh)
		*other = class;
	const struct dh_reach_class *o = &r->classes.at[*other];
	if (o == c || o->sets.len != c->sets.len ||
	    !dh_same(o->sets.at, c->sets.at, c->sets.len * sizeof *c->sets.at))
		return true;
	put_into(r, class, (uint32_t)*other);
	return false;
}

static void free_dead_sets(struct dh_reach *r)
{
	for (size_t i = 0; i < r->dead.len; i++) {
		uint32_t set = r->dead.at[i];
		const uint64_t *known;
		if (r->sets.at[set].uses || !r->sets.at[set].size)
			continue; /* came back, or is in the list for the second time */
		known = dh_map_get(&r->by_hash, r->sets.at[set].hash);
		if (known && *known == set)
			dh_map_remove(&r->by_hash, r->sets.at[set].hash);
		r->sets.at[set].size = 0;
		dh_vec_push(&r->free, set);
	}
	r->dead.len = 0;
}

/* New numbers for the classes in use, which are few. The order of `live` is that of the
 * numbers, so no class is overwritten before it was moved. */
static void renumber(struct dh_reach *r)
{
	for (size_t i = 0; i < r->vars.len; i++)
		class_of(r, (uint32_t)i);
	r->classes.at[0].part = 0;
	for (uint32_t i = 0; i < r->live.len; i++)
		r->classes.at[r->live.at[i]].part = i + 1;
	for (size_t i = 0; i < r->vars.len; i++)
		r->vars.at[i].class = r->classes.at[r->vars.at[i].class].part;
	for (uint32_t i = 0; i < r->live.len; i++) {
		r->classes.at[i + 1] = r->classes.at[r->live.at[i]];
		r->classes.at[i + 1].into = r->live.at[i] = i + 1;
	}
	r->classes.len = r->live.len + 1;
}

void dh_reach_tidy(struct dh_reach *r)
{
	struct dh_map settled = {0};
	size_t kept = 0;
	if (!r->dead.len)
		return;
	for (size_t i = 0; i < r->live.len; i++) {
		uint32_t class = r->live.at[i];
		drop_dead_sets(r, &r->classes.at[class]);
		if (settle(r, &settled, class))
			r->live.at[kept++] = class;
	}
	r->live.len = kept;
	dh_map_free(&settled);
	free_dead_sets(r);
	if (r->classes.len > SPENT_MIN + r->vars.len / SPENT_SHARE)
		renumber(r);
}

/* ---- telling ---- */

void dh_reach_tell(const struct dh_reach *r, struct dh_reach_lists *lists,
		   struct dh_reach_pool *pool)
{
	uint32_t sum = 0;
	dh_vec_grow(lists, r->sets.len);
	for (size_t i = 0; i < r->live.len; i++) {
		const struct dh_reach_class *c = &r->classes.at[r->live.at[i]];
		for (size_t k = 0; k < c->sets.len; k++)
			lists->at[c->sets.at[k]].count++;
	}
	for (size_t s = 0; s < lists->len; s++) {
		lists->at[s].at = sum;
		sum += lists->at[s].count;
		lists->at[s].count = 0;
	}
	dh_vec_grow(pool, sum);
	for (size_t i = 0; i < r->live.len; i++) {
		const struct dh_reach_class *c = &r->classes.at[r->live.at[i]];
		for (size_t k = 0; k < c->sets.len; k++) {
			struct dh_reach_list *l = &lists->at[c->sets.at[k]];
			pool->at[l->at + l->count++] = r->live.at[i];
		}
	}
}
