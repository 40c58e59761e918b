/* SPDX-License-Identifier: MIT */
/* An analysis as JSON: the contract of docs/formats/analyze.md. */
#include "report/analysis.h"
#include "report/json.h"

static void access(struct dh_json *j, const char *key, const struct dh_mark *m, bool write,
		   const struct dh_names *names)
{
	dh_json_open(j, key, '{');
	dh_json_number(j, "index", m->index);
	dh_json_text(j, "thread", dh_names_text(names, DH_NAME_THREAD, m->thread));
	dh_json_text(j, "op", write ? "w" : "r");
	dh_json_text(j, "loc", dh_names_text(names, DH_NAME_SITE, m->site));
	dh_json_close(j, '}');
}

static void pair(struct dh_json *j, const struct dh_race *r, const struct dh_names *names)
{
	dh_json_text(j, "grade", dh_grade_text(r->grade));
	if (r->has_first)
		access(j, "first", &r->first, r->first_write, names);
	else
		dh_json_null(j, "first");
	access(j, "second", &r->second, r->second_write, names);
}

/* Those of race k; *at is the first that was not written yet. */
static void further(struct dh_json *j, const struct dh_engine_result *e, size_t k,
		    size_t *at, const struct dh_names *names)
{
	if (*at == e->further.len || e->further.at[*at].of != k)
		return;
	dh_json_open(j, "further", '[');
	for (; *at < e->further.len && e->further.at[*at].of == k; ++*at) {
		dh_json_open(j, NULL, '{');
		pair(j, &e->further.at[*at].race, names);
		dh_json_close(j, '}');
	}
	dh_json_close(j, ']');
}

static void races(struct dh_json *j, const struct dh_engine_result *e,
		  const struct dh_names *names)
{
	size_t at = 0;
	for (size_t k = 0; k < e->races.len; k++) {
		const struct dh_race *r = &e->races.at[k];
		dh_json_open(j, NULL, '{');
		dh_json_text(j, "var", dh_names_text(names, DH_NAME_VAR, r->var));
		pair(j, r, names);
		if (r->has_distance)
			dh_json_number(j, "distance", r->distance);
		further(j, e, k, &at, names);
		dh_json_close(j, '}');
	}
}

static void engine(struct dh_json *j, const struct dh_engine_result *e,
		   const struct dh_names *names)
{
	dh_json_open(j, NULL, '{');
	dh_json_text(j, "engine", e->engine);
	dh_json_open(j, "races", '[');
	races(j, e, names);
	dh_json_close(j, ']');
	dh_json_open(j, "counters", '{');
	for (size_t i = 0; i < e->counters.len; i++)
		dh_json_number(j, e->counters.at[i].name, e->counters.at[i].value);
	dh_json_close(j, '}');
	dh_json_close(j, '}');
}

void dh_render_analysis_json(const struct dh_analysis *a, FILE *to)
{
	struct dh_json j = {.to = to};
	dh_json_open(&j, NULL, '{');
	dh_json_text(&j, "trace", a->trace);
	dh_json_number(&j, "events", a->events);
	if (a->filter)
		dh_json_text(&j, "filter", a->filter);
	if (a->damage)
		dh_json_text(&j, "damage", a->damage);
	dh_json_open(&j, "engines", '[');
	for (size_t i = 0; i < a->engines.len; i++)
		engine(&j, &a->engines.at[i], a->names);
	dh_json_close(&j, ']');
	dh_json_close(&j, '}');
	fputc('\n', to);
}
