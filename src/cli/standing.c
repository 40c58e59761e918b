/* SPDX-License-Identifier: MIT */
/* See standing.h. A race is judged in the form in which it is written as JSON and read
 * again by others: so that they come to the same verdict. */
#define _GNU_SOURCE
#include "cli/standing.h"
#include "cli/cmd.h"
#include "triage/findings.h"
#include "triage/fingerprint.h"
#include "triage/suppress.h"

#include <stdlib.h>
#include <string.h>

struct dh_standing {
	struct dh_suppressions *rules;
	struct dh_map baseline; /* fingerprints */
	uint64_t standing, suppressed, known, potential;
	uint64_t promoted; /* further races that stand where their finding does not */
	bool potential_counts;
	struct dh_map suggested; /* see dh_suppress_suggest() */
	FILE *suggest;		 /* NULL: not asked for */
	char *suggestions;
	size_t suggestions_len;
};

/* ---- files ---- */

/* False after a message. */
static bool read_rules(struct dh_suppressions *s, const char *path)
{
	if (!*path || dh_suppress_read(s, path) == 0)
		return true;
	fprintf(stderr, "deadheat: %s\n", dh_suppress_error(s));
	return false;
}

static void put(uint64_t fingerprint, enum dh_grade grade, void *to)
{
	(void)grade;
	dh_map_put(to, fingerprint, NULL);
}

static bool read_baseline(struct dh_map *to, const char *path)
{
	struct dh_findings *s = dh_findings_new();
	bool good = !*path || dh_findings_read(s, path) >= 0;
	if (!good)
		fprintf(stderr, "deadheat: %s\n", dh_findings_error(s));
	for (size_t i = 0; good && i < dh_findings_count(s); i++)
		dh_fingerprints(dh_findings_at(s, i), put, to);
	for (size_t i = 0; good && i < dh_findings_reported(s); i++)
		dh_map_put(to, dh_findings_reported_as(s, i), NULL);
	dh_findings_free(s);
	return good;
}

int dh_standing_check(const char *suppressions, const char *baseline)
{
	struct dh_suppressions *s = dh_suppress_new();
	struct dh_map known = {0};
	bool good = read_rules(s, suppressions) && read_baseline(&known, baseline);
	dh_suppress_free(s);
	dh_map_free(&known);
	return good ? 0 : DH_EXIT_USAGE;
}

struct dh_standing *dh_standing_new(const struct dh_live_hello *h)
{
	struct dh_standing *v = dh_mem_alloc(sizeof *v);
	v->rules = dh_suppress_new();
	read_rules(v->rules, h->suppressions);
	if (*h->own_suppressions && dh_suppress_parse(v->rules, h->own_suppressions,
						      "__tsan_default_suppressions()"))
		fprintf(stderr, "deadheat: %s\n", dh_suppress_error(v->rules));
	read_baseline(&v->baseline, h->baseline);
	v->potential_counts = h->flags & DH_HELLO_POTENTIAL;
	if (h->flags & DH_HELLO_SUGGEST)
		v->suggest = open_memstream(&v->suggestions, &v->suggestions_len);
	return v;
}

void dh_standing_free(struct dh_standing *v)
{
	if (!v)
		return;
	if (v->suggest)
		fclose(v->suggest);
	free(v->suggestions);
	dh_suppress_free(v->rules);
	dh_map_free(&v->baseline);
	dh_map_free(&v->suggested);
	dh_mem_free(v, sizeof *v);
}

/* ---- judging ---- */

static void judge(struct dh_standing *v, const struct dh_finding *f,
		  struct dh_live_race *r)
{
	const struct dh_suppress_rule *rule = dh_suppress_match(v->rules, f);
	r->suppressed = rule ? rule->text : NULL;
	r->known = !rule && dh_map_get(&v->baseline, dh_fingerprint(f));
	if (!rule && !r->known && v->suggest)
		dh_suppress_suggest(f, &v->suggested, v->suggest);
}

bool dh_standing_judge_further(struct dh_standing *v, const struct dh_live_hello *h,
			       struct dh_live_race *r)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = NULL;
	if (dh_suppress_count(v->rules) || v->baseline.len || v->suggest)
		to = open_memstream(&text, &len);
	if (to) {
		struct dh_findings *s = dh_findings_new();
		dh_live_json_race(h, r, false, to);
		fclose(to);
		if (dh_findings_parse(s, text, len, "a race") == 0 &&
		    dh_findings_count(s))
			judge(v, dh_findings_at(s, 0), r);
		dh_findings_free(s);
		free(text);
	}
	return !r->suppressed && !r->known;
}

bool dh_standing_judge(struct dh_standing *v, const struct dh_live_hello *h,
		       struct dh_live_race *r, bool further)
{
	bool stands = dh_standing_judge_further(v, h, r);
	bool potential = r->grade == DH_WIRE_POTENTIAL;
	if (further && !stands)
		return false;
	v->promoted += further;
	v->suppressed += r->suppressed != NULL;
	v->known += r->known;
	v->potential += potential;
	v->standing += stands && (!potential || v->potential_counts) &&
		       !(r->second.flags & DH_WIRE_SUSPENDED);
	return stands;
}

uint64_t dh_standing_count(const struct dh_standing *v)
{
	return v->standing;
}

void dh_standing_end(struct dh_standing *v, struct dh_live_end *e)
{
	e->distinct += v->promoted;
	e->suppressed = v->suppressed;
	e->known = v->known;
	e->potential = v->potential;
	for (size_t i = 0; i < dh_suppress_count(v->rules); i++) {
		const struct dh_suppress_rule *r = dh_suppress_at(v->rules, i);
		if (r->elsewhere)
			continue;
		dh_vec_push(&e->rules, (struct dh_live_rule){r->text, r->file, r->line,
							     r->used, r->idle});
	}
	if (v->suggest && fflush(v->suggest) == 0)
		e->suggestions = strdup(v->suggestions);
}
