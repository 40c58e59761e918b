/* SPDX-License-Identifier: MIT */
/* The results of `analyze` and `predict`, as docs/formats/analyze.md has them: accesses
 * are events of a trace, with a code location in place of a stack. */
#include "triage/findings_internal.h"

#include <string.h>

static const struct dh_finding_thread *thread(struct dh_findings *s,
					      const struct dh_json_value *v)
{
	const char *name = dh_findings_text(s, v);
	struct dh_finding_thread *t = name ? dh_pool_alloc(&s->pool, sizeof *t) : NULL;
	if (t)
		t->id = name;
	return t;
}

static bool access(struct dh_findings *s, const struct dh_json_value *v,
		   struct dh_finding_access *a)
{
	const struct dh_json_value *index = dh_json_get(v, "index");
	const char *op = dh_json_text_of(dh_json_get(v, "op"));
	if (!op || (strcmp(op, "r") != 0 && strcmp(op, "w") != 0))
		return dh_findings_fail(s, "an access that is no read (\"r\") or write "
					   "(\"w\")");
	*a = (struct dh_finding_access){
	    .op = *op == 'w' ? DH_OP_WRITE : DH_OP_READ,
	    .has_index = dh_json_is(index, DH_JSON_NUMBER),
	    .index = dh_json_uint(index, 0),
	    .thread = thread(s, dh_json_get(v, "thread")),
	    .stack = dh_findings_place(s, dh_json_text_of(dh_json_get(v, "loc"))),
	};
	return true;
}

/* "obj.field", "table[3]": the name, and the part from the first dot or bracket on. */
static bool variable(struct dh_findings *s, const struct dh_json_value *v,
		     struct dh_finding_object *o)
{
	const char *text = dh_json_text_of(v);
	if (!text || !*text)
		return dh_findings_fail(s, "a race without its variable");
	size_t n = 1 + strcspn(text + 1, ".[");
	o->kind = DH_KIND_VARIABLE;
	o->variable.name = dh_pool_text(&s->pool, text, n);
	if (text[n])
		o->variable.part = dh_findings_keep(s, text + n);
	return true;
}

static void witness(struct dh_findings *s, const struct dh_json_value *race,
		    struct dh_finding *f)
{
	const struct dh_json_value *v = dh_json_get(race, "witness");
	if (!dh_json_is(v, DH_JSON_ARRAY))
		return;
	f->witness_start = dh_json_uint(dh_json_get(race, "witness_start"), 0);
	uint64_t *at = dh_pool_alloc(&s->pool, dh_findings_length(v) * sizeof *at);
	f->witness = at;
	for (const struct dh_json_value *c = dh_json_first(v); c; c = dh_json_next(v, c))
		at[f->witness_len++] = dh_json_uint(c, 0);
}

/* The grade and the two accesses. */
static bool pair(struct dh_findings *s, const struct dh_json_value *v,
		 struct dh_finding *f)
{
	const struct dh_json_value *first = dh_json_get(v, "first");
	if (!dh_findings_grade(s, v, &f->grade) ||
	    !access(s, dh_json_get(v, "second"), &f->second))
		return false;
	f->has_first = dh_json_is(first, DH_JSON_OBJECT);
	if (f->has_first && !access(s, first, &f->first))
		return false;
	if (!f->has_first)
		f->first.stack = dh_findings_place(s, NULL);
	return true;
}

static struct dh_finding *enter(struct dh_findings *s, struct dh_finding_run *run,
				struct dh_finding f)
{
	struct dh_finding *kept = dh_findings_add(s, run);
	f.run = kept->run;
	f.line = kept->line;
	*kept = f;
	return kept;
}

/* What adds to a finding; where it is surer, it is one. */
static bool further(struct dh_findings *s, const struct dh_json_value *v,
		    struct dh_finding *to)
{
	struct dh_finding *last = to;
	if (!dh_json_is(v, DH_JSON_ARRAY))
		return true;
	for (const struct dh_json_value *c = dh_json_first(v); c;
	     c = dh_json_next(v, c)) {
		struct dh_finding f = {.object = to->object, .run = to->run, .line = s->line};
		if (!pair(s, c, &f))
			return false;
		if (f.grade == DH_OBSERVED && to->grade != DH_OBSERVED) {
			enter(s, to->run, f);
			continue;
		}
		last = last->further = dh_pool_alloc(&s->pool, sizeof f);
		*last = f;
	}
	return true;
}

static bool race(struct dh_findings *s, const struct dh_json_value *v,
		 struct dh_finding_run *run)
{
	struct dh_finding f = {0};
	if (!variable(s, dh_json_get(v, "var"), &f.object) || !pair(s, v, &f))
		return false;
	f.object.object_level = dh_json_is(dh_json_get(v, "object_level"), DH_JSON_TRUE);
	witness(s, v, &f);
	return further(s, dh_json_get(v, "further"), enter(s, run, f));
}

static bool races(struct dh_findings *s, const struct dh_json_value *v,
		  struct dh_finding_run *run)
{
	if (!dh_json_is(v, DH_JSON_ARRAY))
		return dh_findings_fail(s, "a result without its races");
	for (const struct dh_json_value *c = dh_json_first(v); c; c = dh_json_next(v, c))
		if (!race(s, c, run))
			return false;
	return true;
}

static struct dh_finding_run *pass(struct dh_findings *s, const struct dh_json_value *v,
				   const struct dh_json_value *engine)
{
	struct dh_finding_run *run = dh_findings_add_run(s);
	run->engine = dh_findings_text(s, engine);
	run->trace = dh_findings_text(s, dh_json_get(v, "trace"));
	run->damage = dh_findings_text(s, dh_json_get(v, "damage"));
	run->ended = true;
	run->complete = !run->damage;
	return run;
}

bool dh_findings_read_analysis(struct dh_findings *s, const struct dh_json_value *v)
{
	const struct dh_json_value *all = dh_json_get(v, "engines");
	if (!dh_json_is(all, DH_JSON_ARRAY))
		return dh_findings_fail(s, "\"engines\" is no array");
	for (const struct dh_json_value *e = dh_json_first(all); e;
	     e = dh_json_next(all, e)) {
		struct dh_finding_run *run = pass(s, v, dh_json_get(e, "engine"));
		if (!run->engine)
			return dh_findings_fail(s, "an engine without its name");
		if (!races(s, dh_json_get(e, "races"), run))
			return false;
	}
	return true;
}

bool dh_findings_read_prediction(struct dh_findings *s, const struct dh_json_value *v)
{
	struct dh_finding_run *run = pass(s, v, dh_json_get(v, "model"));
	if (!run->engine)
		return dh_findings_fail(s, "a prediction without its model");
	return races(s, dh_json_get(v, "races"), run);
}
