/* SPDX-License-Identifier: MIT */
/*
 * See thin.h. A variable that is accessed in the window stays. Of those that are not, all
 * that are in the same sets are as good as one of them: that one stays. They are told by
 * the sum of random numbers, one for each set that a variable is in.
 */
#include "predict/thin.h"

/* A set of the window, by its place in `reach`. */
struct set {
	uint32_t from, count; /* as it was */
	uint32_t at, kept;    /* and as it is */
};

struct thinner {
	struct dh_window *w;
	struct dh_vec(struct set) sets;
	struct dh_map by_place;	 /* place -> number in sets */
	struct dh_map accessed;	 /* variables */
	struct dh_map signs;	 /* variable -> sum */
	struct dh_map spokesmen; /* sum -> the variable that stays */
	struct dh_reach_pool reach;
};

static void note_set(struct thinner *t, uint32_t at, uint32_t count)
{
	bool fresh;
	uint64_t *number = dh_map_put(&t->by_place, at, &fresh);
	if (!fresh || !count)
		return;
	*number = t->sets.len;
	dh_vec_push(&t->sets, (struct set){.from = at, .count = count});
}

static void gather(struct thinner *t)
{
	const struct dh_window *w = t->w;
	for (size_t i = 0; i < w->steps.len; i++) {
		const struct dh_step *s = &w->steps.at[i];
		if (dh_op_is_access(s->op))
			dh_map_put(&t->accessed, s->target, NULL);
		else if (s->reach_count)
			note_set(t, s->reach_at, s->reach_count);
	}
	for (size_t i = 0; i < w->calls.len; i++)
		if (w->calls.at[i].reach_count)
			note_set(t, w->calls.at[i].reach_at, w->calls.at[i].reach_count);
}

static void sign(struct thinner *t, size_t number)
{
	const struct set *s = &t->sets.at[number];
	for (uint32_t i = 0; i < s->count; i++) {
		uint32_t var = t->w->reach.at[s->from + i];
		if (!dh_map_get(&t->accessed, var))
			*dh_map_put(&t->signs, var, NULL) += dh_mix(number + 1);
	}
}

static bool stays(struct thinner *t, uint32_t var)
{
	bool fresh;
	if (dh_map_get(&t->accessed, var))
		return true;
	uint64_t *who = dh_map_put(&t->spokesmen, *dh_map_get(&t->signs, var), &fresh);
	if (fresh)
		*who = var;
	return *who == var;
}

static void thin_set(struct thinner *t, struct set *s)
{
	s->at = (uint32_t)t->reach.len;
	for (uint32_t i = 0; i < s->count; i++) {
		uint32_t var = t->w->reach.at[s->from + i];
		if (stays(t, var))
			dh_vec_push(&t->reach, var);
	}
	s->kept = (uint32_t)t->reach.len - s->at;
}

static void replace(const struct thinner *t, uint32_t *at, uint32_t *count)
{
	if (!*count)
		return;
	const struct set *s = &t->sets.at[*dh_map_get(&t->by_place, *at)];
	*at = s->at;
	*count = s->kept;
}

static void replace_all(const struct thinner *t)
{
	struct dh_window *w = t->w;
	for (size_t i = 0; i < w->steps.len; i++)
		replace(t, &w->steps.at[i].reach_at, &w->steps.at[i].reach_count);
	for (size_t i = 0; i < w->calls.len; i++)
		replace(t, &w->calls.at[i].reach_at, &w->calls.at[i].reach_count);
	dh_vec_free(&w->reach);
	w->reach = t->reach;
}

void dh_window_thin(struct dh_window *w)
{
	struct thinner t = {.w = w};
	if (!w->reach.len)
		return;
	gather(&t);
	for (size_t i = 0; i < t.sets.len; i++)
		sign(&t, i);
	for (size_t i = 0; i < t.sets.len; i++)
		thin_set(&t, &t.sets.at[i]);
	replace_all(&t);
	dh_vec_free(&t.sets);
	dh_map_free(&t.by_place);
	dh_map_free(&t.accessed);
	dh_map_free(&t.signs);
	dh_map_free(&t.spokesmen);
}
