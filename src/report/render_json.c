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

static void race(struct dh_json *j, const struct dh_race *r, const struct dh_names *names)
{
	dh_json_open(j, NULL, '{');
	dh_json_text(j, "var", dh_names_text(names, DH_NAME_VAR, r->var));
	dh_json_text(j, "grade", dh_grade_text(r->grade));
	if (r->has_first)
		access(j, "first", &r->first, r->first_write, names);
	else
		dh_json_null(j, "first");
	access(j, "second", &r->second, r->second_write, names);
	if (r->has_distance)
		dh_json_number(j, "distance", r->distance);
	dh_json_close(j, '}');
}

static void engine(struct dh_json *j, const struct dh_engine_result *e,
		   const struct dh_names *names)
{
	dh_json_open(j, NULL, '{');
	dh_json_text(j, "engine", e->engine);
	dh_json_open(j, "races", '[');
	for (size_t i = 0; i < e->races.len; i++)
		race(j, &e->races.at[i], names);
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
