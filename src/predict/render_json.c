/* SPDX-License-Identifier: MIT */
/* A prediction as JSON: the contract of docs/formats/predict.md. */
#include "predict/render.h"
#include "report/json.h"

static void access(struct dh_json *j, const char *key, const struct dh_shown *s,
		   const struct dh_names *names)
{
	dh_json_open(j, key, '{');
	dh_json_number(j, "index", s->index);
	dh_json_text(j, "thread", dh_names_text(names, DH_NAME_THREAD, s->step.thread));
	dh_json_text(j, "op", s->step.op == DH_WRITE ? "w" : "r");
	dh_json_text(j, "loc", dh_names_text(names, DH_NAME_SITE, s->step.site));
	dh_json_close(j, '}');
}

static void witness(struct dh_json *j, const struct dh_predicted *r, bool whole)
{
	if (!whole)
		dh_json_number(j, "witness_start", r->start);
	dh_json_open(j, "witness", '[');
	for (uint64_t i = 0; whole && i < r->start; i++)
		dh_json_number(j, NULL, i);
	for (size_t i = 0; i < r->witness.len; i++)
		dh_json_number(j, NULL, r->start + r->witness.at[i]);
	dh_json_close(j, ']');
}

static void pair(struct dh_json *j, const struct dh_predict_page *p,
		 const struct dh_predicted *r)
{
	dh_json_open(j, NULL, '{');
	dh_json_text(j, "var",
		     dh_names_text(p->names, DH_NAME_VAR, r->first.step.target));
	if (!r->unknown)
		dh_json_text(j, "grade", "predicted");
	access(j, "first", &r->first, p->names);
	access(j, "second", &r->second, p->names);
	if (r->witness.len)
		witness(j, r, p->whole_witness);
	dh_json_close(j, '}');
}

static void windows(struct dh_json *j, const struct dh_predict_page *p)
{
	dh_json_open(j, "windows", '{');
	dh_json_number(j, "count", p->result->windows);
	dh_json_number(j, "size", p->config->window);
	dh_json_number(j, "overlap", p->config->window - p->config->step);
	dh_json_number(j, "pairs_not_covered", p->result->far_pairs);
	dh_json_close(j, '}');
}

void dh_render_prediction_json(const struct dh_predict_page *p, FILE *to)
{
	struct dh_json j = {.to = to};
	const struct dh_prediction *r = p->result;
	dh_json_open(&j, NULL, '{');
	dh_json_text(&j, "trace", p->trace);
	dh_json_number(&j, "events", r->events);
	dh_json_text(&j, "model", dh_model_text(p->config->model));
	if (p->damage)
		dh_json_text(&j, "damage", p->damage);
	dh_json_open(&j, "races", '[');
	for (size_t i = 0; i < r->races.len; i++)
		pair(&j, p, &r->races.at[i]);
	dh_json_close(&j, ']');
	dh_json_open(&j, "unknown", '[');
	for (size_t i = 0; i < r->unknown.len; i++)
		pair(&j, p, &r->unknown.at[i]);
	dh_json_close(&j, ']');
	windows(&j, p);
	dh_json_close(&j, '}');
	fputc('\n', to);
}
