/* SPDX-License-Identifier: MIT */
/*
 * An analysis for people: per engine each race with both accesses and what its grade
 * means, then a summary. Names come from a file: control characters in them, and what
 * is no UTF-8, are shown as '?', so that a trace cannot play with the terminal.
 */
#include "report/analysis.h"
#include "report/safe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct page {
	FILE *to;
	const struct dh_names *names;
	bool colour;
};

static void paint(const struct page *p, const char *escape)
{
	if (p->colour)
		fputs(escape, p->to);
}

static void safe(const struct page *p, const char *text)
{
	dh_safe_print(p->to, text, strlen(text), SIZE_MAX);
}

static void name(const struct page *p, enum dh_name_kind kind, uint32_t id)
{
	safe(p, dh_names_text(p->names, kind, id));
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static const char *meaning(const struct dh_race *r)
{
	if (r->grade == DH_OBSERVED)
		return "nothing ordered these two accesses in this run";
	return "no common lock protects them; what order this run had may be luck";
}

static void access(const struct page *p, const char *label, const struct dh_mark *m,
		   bool write)
{
	fprintf(p->to, "      %-7s %-5s by ", label, write ? "write" : "read");
	name(p, DH_NAME_THREAD, m->thread);
	if (m->site != DH_SITE_NONE) {
		fputs(" at ", p->to);
		name(p, DH_NAME_SITE, m->site);
	}
	fprintf(p->to, "  (event %" PRIu64 ")", m->index);
}

static void race(const struct page *p, const struct dh_race *r)
{
	fputs("  ", p->to);
	paint(p, "\033[1m");
	name(p, DH_NAME_VAR, r->var);
	paint(p, "\033[0m");
	fputs("  ", p->to);
	paint(p, r->grade == DH_OBSERVED ? "\033[31m" : "\033[33m");
	fputs(dh_grade_text(r->grade), p->to);
	paint(p, "\033[0m");
	fprintf(p->to, ": %s\n", meaning(r));
	if (r->has_first)
		access(p, "first", &r->first, r->first_write);
	else
		fputs("      first   not known to this algorithm", p->to);
	fputc('\n', p->to);
	access(p, "second", &r->second, r->second_write);
	fputc('\n', p->to);
	if (r->has_distance && r->distance)
		fprintf(p->to, "      %" PRIu32 " time frame%s of the first thread between them\n",
			r->distance, plural(r->distance));
}

/* What was added to a race, after it. */
static void races(const struct page *p, const struct dh_engine_result *e)
{
	size_t at = 0;
	for (size_t k = 0; k < e->races.len; k++) {
		race(p, &e->races.at[k]);
		for (; at < e->further.len && e->further.at[at].of == k; at++) {
			const struct dh_race *r = &e->further.at[at].race;
			bool same = r->grade == e->races.at[k].grade;
			access(p, "further", &r->second, r->second_write);
			fprintf(p->to, "%s%s\n", same ? "" : ", ",
				same ? "" : dh_grade_text(r->grade));
		}
	}
}

static void counters(const struct page *p, const struct dh_engine_result *e)
{
	for (size_t i = 0; i < e->counters.len; i++)
		fprintf(p->to, "      %-24s %14" PRIu64 "\n", e->counters.at[i].name,
			e->counters.at[i].value);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static size_t distinct_vars(const struct dh_engine_result *e)
{
	struct dh_vec(uint32_t) vars = {0};
	for (size_t i = 0; i < e->races.len; i++)
		dh_vec_push(&vars, e->races.at[i].var);
	if (vars.len)
		qsort(vars.at, vars.len, sizeof *vars.at, by_number);
	size_t n = 0;
	for (size_t i = 0; i < vars.len; i++)
		n += i == 0 || vars.at[i] != vars.at[i - 1];
	dh_vec_free(&vars);
	return n;
}

static void summary_line(const struct page *p, const struct dh_engine_result *e)
{
	size_t observed = 0, all = e->races.len, vars = distinct_vars(e);
	for (size_t i = 0; i < all; i++)
		observed += e->races.at[i].grade == DH_OBSERVED;
	if (all == 0)
		fprintf(p->to, "  %-18s no races\n", e->engine);
	else
		fprintf(p->to,
			"  %-18s %zu race%s on %zu variable%s: %zu observed, %zu potential\n",
			e->engine, all, plural(all), vars, plural(vars), observed,
			all - observed);
}

void dh_render_analysis_text(const struct dh_analysis *a, bool stats, bool colour, FILE *to)
{
	struct page p = {to, a->names, colour};
	for (size_t i = 0; i < a->engines.len; i++) {
		const struct dh_engine_result *e = &a->engines.at[i];
		if (!e->races.len && !stats)
			continue;
		fprintf(to, "%s\n", e->engine);
		races(&p, e);
		if (stats)
			counters(&p, e);
		fputc('\n', to);
	}
	uint32_t threads = dh_names_count(a->names, DH_NAME_THREAD);
	uint32_t vars = dh_names_count(a->names, DH_NAME_VAR);
	safe(&p, a->trace);
	fprintf(to, ": %" PRIu64 " event%s, %u thread%s, %u variable%s\n", a->events,
		plural(a->events), threads, plural(threads), vars, plural(vars));
	if (a->filter)
		fprintf(to, "  behind the filter %s\n", a->filter);
	for (size_t i = 0; i < a->engines.len; i++)
		summary_line(&p, &a->engines.at[i]);
}
