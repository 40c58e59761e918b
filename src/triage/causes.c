/* SPDX-License-Identifier: MIT */
/*
 * From findings to causes, see cause.h: findings are put into variants by fingerprint,
 * variants into causes by class, and both are ranked. All tables are sorted by things
 * that do not depend on the order of the input, but for first and last sightings without
 * a time and the choice between findings that are equally telling.
 */
#include "triage/cause.h"
#include "triage/classes.h"
#include "triage/describe.h"
#include "triage/findings_internal.h"

#include <stdlib.h>
#include <string.h>

struct dh_causes_store {
	struct dh_causes causes;
	struct dh_pool pool;
	const struct dh_finding **findings; /* by variant */
	struct dh_variant *variants;	    /* by cause, by rank */
	size_t variants_len;
	struct dh_cause *list;
};

/* ---- order ---- */

unsigned dh_grade_rank(enum dh_grade g)
{
	return g == DH_OBSERVED ? 0 : g == DH_PREDICTED ? 1 : 2;
}

static int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Was run a before b? */
static bool is_before(const struct dh_finding_run *a, const struct dh_finding_run *b)
{
	int times = a->time && b->time ? strcmp(a->time, b->time) : 0;
	return times ? times < 0 : a->number < b->number;
}

static bool both_stacks(const struct dh_finding *f)
{
	return f->first.stack->len && f->second.stack->len;
}

/* 0 is the most harmful; no pattern is between a counter and a flag. */
static unsigned harm(const struct dh_pattern *patterns, size_t len)
{
	if (!len)
		return DH_PATTERN_FLAG;
	return patterns[0].kind + (patterns[0].kind >= DH_PATTERN_FLAG);
}

static int by_rank(const struct dh_variant *a, const struct dh_variant *b,
		   const struct dh_sightings *seen_a, const struct dh_sightings *seen_b,
		   unsigned harm_a, unsigned harm_b)
{
	int c = by_number(dh_grade_rank(a->grade), dh_grade_rank(b->grade));
	if (!c)
		c = by_number(a->sample->object.object_level,
			      b->sample->object.object_level);
	if (!c)
		c = by_number(both_stacks(b->sample), both_stacks(a->sample));
	if (!c)
		c = by_number(harm_a, harm_b);
	if (!c)
		c = by_number(seen_b->runs, seen_a->runs);
	if (!c)
		c = by_number(seen_b->count + seen_b->further,
			      seen_a->count + seen_a->further);
	return c ? c : by_number(a->fingerprint, b->fingerprint);
}

static int by_variant_rank(const void *x, const void *y)
{
	const struct dh_variant *a = x, *b = y;
	return by_rank(a, b, &a->seen, &b->seen, harm(a->patterns, a->patterns_len),
		       harm(b->patterns, b->patterns_len));
}

static int by_cause_rank(const void *x, const void *y)
{
	const struct dh_cause *a = x, *b = y;
	return by_rank(a->variants, b->variants, &a->seen, &b->seen,
		       harm(a->patterns, a->patterns_len),
		       harm(b->patterns, b->patterns_len));
}

static int by_fingerprint(const void *x, const void *y)
{
	const struct dh_variant *a = x, *b = y;
	return by_number(a->fingerprint, b->fingerprint);
}

/* ---- variants ---- */

static size_t count_places(const struct dh_finding *f)
{
	struct dh_finding_place places[DH_FINDING_MOST];
	return f->further ? dh_finding_places(f, places) : 2;
}

/* Does a tell more than b, which was there before? */
static bool tells_more(const struct dh_finding *a, const struct dh_finding *b)
{
	unsigned rank_a = dh_grade_rank(a->grade), rank_b = dh_grade_rank(b->grade);
	if (rank_a != rank_b)
		return rank_a < rank_b;
	if (a->object.object_level != b->object.object_level)
		return b->object.object_level;
	if (both_stacks(a) != both_stacks(b))
		return both_stacks(a);
	size_t places_a = count_places(a), places_b = count_places(b);
	if (places_a != places_b)
		return places_a > places_b;
	uint64_t evidence_a = a->evidence ? a->evidence->accesses + 1 : 0;
	uint64_t evidence_b = b->evidence ? b->evidence->accesses + 1 : 0;
	if (evidence_a != evidence_b)
		return evidence_a > evidence_b;
	return a->first.locks_known && !b->first.locks_known;
}

static int by_run(const void *x, const void *y)
{
	return by_number(*(const uint32_t *)x, *(const uint32_t *)y);
}

/* Counts the findings, and the different runs among them. */
static void see(struct dh_sightings *seen, const struct dh_finding *const *findings,
		uint64_t count)
{
	uint32_t *runs = dh_mem_alloc(count * sizeof *runs);
	*seen = (struct dh_sightings){.count = count};
	for (uint64_t i = 0; i < count; i++) {
		const struct dh_finding_run *run = findings[i]->run;
		runs[i] = run->number;
		for (const struct dh_finding *r = findings[i]->further; r; r = r->further)
			seen->further++;
		seen->graded[findings[i]->grade]++;
		if (!seen->first || is_before(run, seen->first))
			seen->first = run;
		if (!seen->last || is_before(seen->last, run))
			seen->last = run;
	}
	qsort(runs, count, sizeof *runs, by_run);
	for (uint64_t i = 0; i < count; i++)
		seen->runs += i == 0 || runs[i] != runs[i - 1];
	dh_mem_free(runs, count * sizeof *runs);
}

/* Fills in what follows from the findings. */
static void finish_variant(struct dh_variant *v, struct dh_causes_store *store,
			   struct dh_excerpts *excerpts)
{
	struct dh_pattern patterns[DH_PATTERNS];
	v->sample = v->findings[0];
	for (uint64_t i = 1; i < v->seen.count; i++)
		if (tells_more(v->findings[i], v->sample))
			v->sample = v->findings[i];
	v->id = dh_fingerprint_text(v->fingerprint);
	v->grade = v->sample->grade;
	v->is_new = true;
	see(&v->seen, v->findings, v->seen.count);
	struct dh_phrase title = dh_describe_finding(v->sample);
	v->title = dh_pool_text(&store->pool, title.text, strlen(title.text));
	v->patterns_len = dh_patterns_find(v->sample, excerpts, &store->pool, patterns);
	struct dh_pattern *kept =
	    dh_pool_alloc(&store->pool, v->patterns_len * sizeof *kept);
	if (kept)
		memcpy(kept, patterns, v->patterns_len * sizeof *kept);
	v->patterns = kept;
}

static void place(struct dh_causes_store *store, const struct dh_findings *s,
		  const uint32_t *of, const struct dh_variant *variants, size_t len)
{
	size_t *next = dh_mem_alloc((len + 1) * sizeof *next);
	for (size_t i = 1; i < len; i++)
		next[i] = next[i - 1] + variants[i - 1].seen.count;
	for (size_t i = 0; i < dh_findings_count(s); i++)
		store->findings[next[of[i]]++] = dh_findings_at(s, i);
	dh_mem_free(next, (len + 1) * sizeof *next);
}

/* Findings are counted first, so that those of a variant can lie next to each other. */
static void make_variants(struct dh_causes_store *store, const struct dh_findings *s,
			  struct dh_excerpts *excerpts)
{
	size_t count = dh_findings_count(s), placed = 0;
	uint32_t *of = dh_mem_alloc((count + 1) * sizeof *of);
	struct dh_map known = {0};
	struct dh_vec(struct dh_variant) list = {0};
	for (size_t i = 0; i < count; i++) {
		uint64_t fingerprint = dh_fingerprint(dh_findings_at(s, i));
		bool fresh;
		uint64_t *at = dh_map_put(&known, fingerprint, &fresh);
		if (fresh) {
			*at = list.len;
			dh_vec_push(&list,
				    (struct dh_variant){.fingerprint = fingerprint});
		}
		list.at[*at].seen.count++;
		of[i] = (uint32_t)*at;
	}
	store->findings = dh_pool_alloc(&store->pool, count * sizeof *store->findings);
	for (size_t i = 0; i < list.len; i++) {
		list.at[i].findings = store->findings + placed;
		placed += list.at[i].seen.count;
	}
	place(store, s, of, list.at, list.len);
	for (size_t i = 0; i < list.len; i++)
		finish_variant(&list.at[i], store, excerpts);
	store->variants_len = list.len;
	store->variants = dh_pool_alloc(&store->pool, list.len * sizeof *list.at);
	if (list.len)
		memcpy(store->variants, list.at, list.len * sizeof *list.at);
	dh_mem_free(of, (count + 1) * sizeof *of);
	dh_map_free(&known);
	dh_vec_free(&list);
}

/* ---- the baseline ---- */

static void note(uint64_t fingerprint, enum dh_grade grade, void *known)
{
	uint64_t rank = dh_grade_rank(grade) + 1,
		 *there = dh_map_put(known, fingerprint, NULL);
	if (!*there || rank < *there)
		*there = rank;
}

static bool is_known(const struct dh_map *known, uint64_t fingerprint,
		     enum dh_grade grade)
{
	const uint64_t *there = dh_map_get(known, fingerprint);
	return there && dh_grade_rank(grade) + 1 >= *there;
}

/* Does a finding of the variant have a further access that the baseline has not? */
static bool adds(const struct dh_variant *v, const struct dh_map *known)
{
	for (uint64_t i = 0; i < v->seen.count; i++)
		for (const struct dh_finding *r = v->findings[i]->further; r;
		     r = r->further)
			if (!is_known(known, dh_fingerprint(r), r->grade))
				return true;
	return false;
}

static void compare(struct dh_causes_store *store, const struct dh_findings *baseline)
{
	struct dh_map known = {0};
	for (size_t i = 0; i < dh_findings_count(baseline); i++)
		dh_fingerprints(dh_findings_at(baseline, i), note, &known);
	for (size_t i = 0; i < baseline->reported.len; i++)
		note(baseline->reported.at[i].fingerprint, baseline->reported.at[i].grade,
		     &known);
	for (size_t i = 0; i < store->variants_len; i++) {
		struct dh_variant *v = &store->variants[i];
		v->known = dh_map_get(&known, v->fingerprint);
		v->is_new =
		    !is_known(&known, v->fingerprint, v->grade) || adds(v, &known);
	}
	dh_map_free(&known);
}

/* ---- causes ---- */

/* Patterns that all findings of the cause have a say in; they may turn out to be none. */
static void settle_patterns(struct dh_variant *v, struct dh_pattern_jury *jury,
			    struct dh_pool *pool)
{
	struct dh_pattern *patterns = (struct dh_pattern *)v->patterns;
	size_t kept = 0;
	for (size_t i = 0; i < v->patterns_len; i++)
		if (!patterns[i].holder || dh_pattern_settle(&patterns[i], jury, pool))
			patterns[kept++] = patterns[i];
	v->patterns_len = kept;
}

/* All patterns of the variants, each with the reason of the first that has it. */
static void gather_patterns(struct dh_cause *c, struct dh_pool *pool)
{
	struct dh_pattern *kept = NULL;
	const struct dh_pattern *found[DH_PATTERNS] = {0};
	for (size_t i = 0; i < c->variants_len; i++)
		for (size_t k = 0; k < c->variants[i].patterns_len; k++) {
			const struct dh_pattern *p = &c->variants[i].patterns[k];
			if (!found[p->kind]) {
				found[p->kind] = p;
				c->patterns_len++;
			}
		}
	c->patterns = kept = dh_pool_alloc(pool, c->patterns_len * sizeof *kept);
	for (size_t k = 0; k < DH_PATTERNS; k++)
		if (found[k])
			*kept++ = *found[k];
}

/* Names of engines are the same pointer where they are the same. There are few. */
static void gather_engines(struct dh_cause *c, const struct dh_finding *const *all,
			   uint64_t count, struct dh_pool *pool)
{
	const char *seen[32];
	size_t len = 0, k;
	for (uint64_t i = 0; i < count && len < DH_ARRAY_LEN(seen); i++) {
		for (k = 0; k < len && seen[k] != all[i]->run->engine; k++)
			;
		if (k == len)
			seen[len++] = all[i]->run->engine;
	}
	const char **kept = dh_pool_alloc(pool, len * sizeof *kept);
	memcpy(kept, seen, len * sizeof *kept);
	c->engines = kept;
	c->engines_len = len;
}

static void sum_up(struct dh_cause *c, struct dh_causes_store *store)
{
	struct dh_variant *variants = (struct dh_variant *)c->variants;
	const struct dh_finding **all, **to;
	uint64_t count = 0;
	for (size_t i = 0; i < c->variants_len; i++)
		count += variants[i].seen.count;
	to = all = dh_mem_alloc(count * sizeof *all);
	for (size_t i = 0; i < c->variants_len; i++) {
		for (uint64_t k = 0; k < variants[i].seen.count; k++)
			*to++ = variants[i].findings[k];
		c->known |= variants[i].known;
		c->is_new |= variants[i].is_new;
	}
	struct dh_pattern_jury jury = {.findings = all, .count = count};
	for (size_t i = 0; i < c->variants_len; i++)
		settle_patterns(&variants[i], &jury, &store->pool);
	dh_map_free(&jury.verdicts);
	see(&c->seen, all, count);
	gather_engines(c, all, count, &store->pool);
	qsort(variants, c->variants_len, sizeof *variants, by_variant_rank);
	c->id = variants[0].id;
	c->title = variants[0].title;
	c->grade = variants[0].grade;
	gather_patterns(c, &store->pool);
	dh_mem_free(all, count * sizeof *all);
}

/* Puts the variants of a class next to each other: by a counting sort on the classes. */
static void make_causes(struct dh_causes_store *store)
{
	size_t len = store->variants_len, placed = 0;
	struct dh_class_sample *samples = dh_mem_alloc((len + 1) * sizeof *samples);
	size_t *sizes = dh_mem_alloc((len + 1) * sizeof *sizes);
	struct dh_variant *sorted = dh_pool_alloc(&store->pool, len * sizeof *sorted);
	for (size_t i = 0; i < len; i++) {
		samples[i].fingerprint = store->variants[i].fingerprint;
		samples[i].finding = store->variants[i].sample;
	}
	dh_classes_make(samples, len, &store->pool);
	for (size_t i = 0; i < len; i++)
		sizes[samples[i].class]++;
	store->list = dh_pool_alloc(&store->pool, len * sizeof *store->list);
	for (size_t i = 0; i < len; i++) {
		if (!sizes[i])
			continue;
		struct dh_cause *c = &store->list[store->causes.len++];
		c->variants = sorted + placed;
		c->variants_len = sizes[i];
		c->common = samples[i].common;
		c->common_function = samples[i].common_function;
		placed += sizes[i];
		sizes[i] = placed - sizes[i]; /* from now on, where the next one goes */
	}
	for (size_t i = 0; i < len; i++)
		sorted[sizes[samples[i].class]++] = store->variants[i];
	store->variants = sorted;
	for (size_t i = 0; i < store->causes.len; i++)
		sum_up(&store->list[i], store);
	dh_mem_free(samples, (len + 1) * sizeof *samples);
	dh_mem_free(sizes, (len + 1) * sizeof *sizes);
}

struct dh_causes *dh_causes_make(const struct dh_findings *s,
				 const struct dh_findings *baseline,
				 struct dh_excerpts *excerpts)
{
	struct dh_causes_store *store = dh_mem_alloc(sizeof *store);
	store->causes.store = store;
	store->causes.from = s;
	store->causes.count = dh_findings_count(s);
	store->causes.has_baseline = baseline != NULL;
	make_variants(store, s, excerpts);
	if (store->variants_len)
		qsort(store->variants, store->variants_len, sizeof *store->variants,
		      by_fingerprint);
	if (baseline)
		compare(store, baseline);
	make_causes(store);
	if (store->causes.len)
		qsort(store->list, store->causes.len, sizeof *store->list, by_cause_rank);
	store->causes.at = store->list;
	return &store->causes;
}

void dh_causes_free(struct dh_causes *c)
{
	if (!c)
		return;
	struct dh_causes_store *store = c->store;
	dh_pool_free(&store->pool);
	dh_mem_free(store, sizeof *store);
}

const struct dh_cause *dh_causes_find(const struct dh_causes *c, const char *id,
				      bool *several)
{
	const struct dh_cause *found = NULL;
	size_t len = strlen(id);
	*several = false;
	for (size_t i = 0; i < c->len; i++)
		for (size_t k = 0; k < c->at[i].variants_len; k++)
			if (strncmp(c->at[i].variants[k].id.text, id, len) == 0) {
				*several |= found && found != &c->at[i];
				found = &c->at[i];
			}
	return *several ? NULL : found;
}
