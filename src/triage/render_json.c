/* SPDX-License-Identifier: MIT */
/* Causes for programs: one JSON object on one line, the contract of
 * docs/formats/report.md. */
#include "report/json.h"
#include "triage/render.h"

static void text_if(struct dh_json *j, const char *key, const char *value)
{
	if (value && *value)
		dh_json_text(j, key, value);
}

static void number_if(struct dh_json *j, const char *key, uint64_t value)
{
	if (value)
		dh_json_number(j, key, value);
}

static void true_if(struct dh_json *j, const char *key, bool value)
{
	if (value)
		dh_json_bool(j, key, true);
}

/* ---- findings ---- */

static void frame(struct dh_json *j, const struct dh_finding_frame *f)
{
	dh_json_open(j, NULL, '{');
	text_if(j, "function", f->function);
	text_if(j, "file", f->file);
	number_if(j, "line", f->line);
	number_if(j, "column", f->column);
	text_if(j, "module", f->module);
	number_if(j, "offset", f->offset);
	true_if(j, "inlined", f->inlined);
	true_if(j, "folded", f->folded);
	true_if(j, "lost", f->lost);
	dh_json_close(j, '}');
}

static void stack(struct dh_json *j, const char *key, const struct dh_finding_stack *s)
{
	if (!s)
		return;
	dh_json_open(j, key, '[');
	for (uint32_t i = 0; i < s->len; i++)
		frame(j, s->at[i]);
	dh_json_close(j, ']');
}

static void thread_if(struct dh_json *j, const char *key,
		      const struct dh_finding_thread *t)
{
	if (t)
		dh_json_text(j, key, t->id);
}

static void variable(struct dh_json *j, const struct dh_finding_variable *v)
{
	text_if(j, "name", v->name);
	text_if(j, "part", v->part);
	text_if(j, "module", v->module);
	text_if(j, "file", v->file);
	number_if(j, "line", v->line);
}

static void lock(struct dh_json *j, const char *key, const struct dh_finding_lock *l)
{
	dh_json_open(j, key, '{');
	dh_json_text(j, "name", l->name);
	text_if(j, "address", l->address);
	dh_json_text(j, "mode", l->read_mode ? "read" : "write");
	if (l->global) {
		dh_json_open(j, "global", '{');
		variable(j, l->global);
		dh_json_close(j, '}');
	}
	stack(j, "taken", l->taken);
	stack(j, "created", l->created);
	dh_json_close(j, '}');
}

static void locks(struct dh_json *j, const char *key, const struct dh_finding_locks *set)
{
	dh_json_open(j, key, '[');
	for (size_t i = 0; i < set->len; i++)
		lock(j, NULL, &set->at[i]);
	dh_json_close(j, ']');
}

static void access(struct dh_json *j, const char *key, const struct dh_finding_access *a)
{
	static const char *const ops[] = {
	    [DH_OP_READ] = "read", [DH_OP_WRITE] = "write", [DH_OP_FREE] = "free"};
	dh_json_open(j, key, '{');
	dh_json_text(j, "op", ops[a->op]);
	dh_json_bool(j, "atomic", a->atomic);
	number_if(j, "size", a->size);
	if (a->has_index)
		dh_json_number(j, "index", a->index);
	thread_if(j, "thread", a->thread);
	stack(j, "stack", a->stack);
	if (a->locks_known)
		locks(j, "locks", &a->locks);
	if (a->locks_maybe.len)
		locks(j, "locks_maybe", &a->locks_maybe);
	number_if(j, "locks_lost", a->locks_lost);
	dh_json_close(j, '}');
}

static void object(struct dh_json *j, const struct dh_finding_object *o)
{
	static const char *const kinds[] = {
	    [DH_KIND_UNKNOWN] = "unknown",   [DH_KIND_GLOBAL] = "global",
	    [DH_KIND_HEAP] = "heap",	     [DH_KIND_STACK] = "stack",
	    [DH_KIND_VARIABLE] = "variable",
	};
	bool memory = o->kind == DH_KIND_GLOBAL || o->kind == DH_KIND_HEAP;
	dh_json_open(j, "object", '{');
	dh_json_text(j, "kind", kinds[o->kind]);
	text_if(j, "label", o->label);
	variable(j, &o->variable);
	if (memory) {
		dh_json_number(j, "size", o->size);
		dh_json_number(j, "offset", o->offset);
	}
	thread_if(j, "thread", o->thread);
	stack(j, "allocated", o->allocated);
	thread_if(j, "free_thread", o->free_thread);
	stack(j, "freed", o->freed);
	true_if(j, "object_level", o->object_level);
	dh_json_close(j, '}');
}

static void threads(struct dh_json *j, const struct dh_finding *f)
{
	dh_json_open(j, "threads", '[');
	for (size_t i = 0; i < f->threads_len; i++) {
		const struct dh_finding_thread *t = &f->threads[i];
		dh_json_open(j, NULL, '{');
		dh_json_text(j, "id", t->id);
		text_if(j, "name", t->name);
		dh_json_bool(j, "main", t->main);
		dh_json_bool(j, "running", t->running);
		text_if(j, "parent", t->parent);
		stack(j, "created", t->created);
		dh_json_close(j, '}');
	}
	dh_json_close(j, ']');
}

static void evidence(struct dh_json *j, const struct dh_finding_evidence *e)
{
	dh_json_open(j, "evidence", '{');
	dh_json_bool(j, "complete", e->complete);
	dh_json_number(j, "accesses", e->accesses);
	dh_json_number(j, "reads", e->reads);
	dh_json_number(j, "writes", e->writes);
	number_if(j, "atomics", e->atomics);
	number_if(j, "threads", e->threads);
	number_if(j, "read_then_write", e->read_then_write);
	number_if(j, "unlocked", e->unlocked);
	number_if(j, "same_value", e->same_value);
	dh_json_open(j, "held", '[');
	for (size_t i = 0; i < e->held_len; i++) {
		dh_json_open(j, NULL, '{');
		lock(j, "lock", e->held[i].lock);
		dh_json_number(j, "count", e->held[i].count);
		dh_json_close(j, '}');
	}
	dh_json_close(j, ']');
	dh_json_open(j, "steps", '[');
	for (size_t i = 0; i < e->steps_len; i++) {
		dh_json_open(j, NULL, '{');
		dh_json_signed(j, "by", e->steps[i].by);
		dh_json_number(j, "count", e->steps[i].count);
		dh_json_close(j, '}');
	}
	dh_json_close(j, ']');
	number_if(j, "other_steps", e->other_steps);
	dh_json_close(j, '}');
}

/* What a finding and a race that was added to it have. */
static void pair(struct dh_json *j, const struct dh_finding *f)
{
	dh_json_number(j, "line", f->line);
	dh_json_text(j, "grade", dh_grade_text(f->grade));
	if (f->has_first)
		access(j, "first", &f->first);
	else
		dh_json_null(j, "first");
	access(j, "second", &f->second);
	threads(j, f);
}

static void further(struct dh_json *j, const struct dh_finding *f)
{
	if (!f->further)
		return;
	dh_json_open(j, "further", '[');
	for (const struct dh_finding *r = f->further; r; r = r->further) {
		dh_json_open(j, NULL, '{');
		pair(j, r);
		dh_json_close(j, '}');
	}
	dh_json_close(j, ']');
}

static void finding(struct dh_json *j, const char *key, const struct dh_finding *f)
{
	dh_json_open(j, key, '{');
	dh_json_number(j, "run", f->run->number);
	number_if(j, "serial", f->serial);
	pair(j, f);
	object(j, &f->object);
	further(j, f);
	if (f->evidence)
		evidence(j, f->evidence);
	if (f->witness_len) {
		dh_json_open(j, "witness", '[');
		for (size_t i = 0; i < f->witness_len; i++)
			dh_json_number(j, NULL, f->witness[i]);
		dh_json_close(j, ']');
		number_if(j, "witness_start", f->witness_start);
	}
	dh_json_close(j, '}');
}

/* ---- causes ---- */

static void seen(struct dh_json *j, const struct dh_sightings *s)
{
	dh_json_number(j, "findings", s->count);
	number_if(j, "further", s->further);
	dh_json_open(j, "grades", '{');
	for (int g = DH_OBSERVED; g <= DH_PREDICTED; g++)
		number_if(j, dh_grade_text((enum dh_grade)g), s->graded[g]);
	dh_json_close(j, '}');
	dh_json_number(j, "runs", s->runs);
	dh_json_number(j, "first_run", s->first->number);
	dh_json_number(j, "last_run", s->last->number);
}

static void patterns(struct dh_json *j, const struct dh_pattern *at, size_t len)
{
	dh_json_open(j, "patterns", '[');
	for (size_t i = 0; i < len; i++) {
		const struct dh_pattern_text *t = &dh_pattern_texts[at[i].kind];
		dh_json_open(j, NULL, '{');
		dh_json_text(j, "name", t->name);
		dh_json_text(j, "title", t->title);
		dh_json_text(j, "because", at[i].because);
		dh_json_text(j, "advice", t->advice);
		dh_json_close(j, '}');
	}
	dh_json_close(j, ']');
}

static void put_id(uint64_t fingerprint, enum dh_grade grade, void *to)
{
	struct dh_json *j = to;
	(void)grade;
	dh_json_text(j, NULL, dh_fingerprint_text(fingerprint).text);
}

/* The ids that findings with further accesses stand for, for who has this as a
 * baseline. */
static void other_ids(struct dh_json *j, const struct dh_variant *v)
{
	if (!v->seen.further)
		return;
	dh_json_open(j, "other_ids", '[');
	for (uint64_t i = 0; i < v->seen.count; i++)
		if (v->findings[i]->further)
			dh_fingerprints(v->findings[i], put_id, j);
	dh_json_close(j, ']');
}

static void variant(struct dh_json *j, const struct dh_variant *v)
{
	dh_json_open(j, NULL, '{');
	dh_json_text(j, "id", v->id.text);
	dh_json_text(j, "grade", dh_grade_text(v->grade));
	dh_json_text(j, "title", v->title);
	dh_json_bool(j, "new", v->is_new);
	seen(j, &v->seen);
	other_ids(j, v);
	patterns(j, v->patterns, v->patterns_len);
	finding(j, "sample", v->sample);
	dh_json_close(j, '}');
}

static void cause(struct dh_json *j, size_t rank, const struct dh_cause *c)
{
	dh_json_open(j, NULL, '{');
	dh_json_number(j, "rank", rank);
	dh_json_text(j, "id", c->id.text);
	dh_json_text(j, "grade", dh_grade_text(c->grade));
	dh_json_text(j, "title", c->title);
	dh_json_bool(j, "new", c->is_new);
	seen(j, &c->seen);
	dh_json_open(j, "engines", '[');
	for (size_t i = 0; i < c->engines_len; i++)
		dh_json_text(j, NULL, c->engines[i]);
	dh_json_close(j, ']');
	if (c->common) {
		dh_json_open(j, "common", '{');
		dh_json_text(j, "kind", c->common_function ? "function" : "object");
		dh_json_text(j, "name", c->common);
		dh_json_close(j, '}');
	}
	patterns(j, c->patterns, c->patterns_len);
	dh_json_open(j, "variants", '[');
	for (size_t i = 0; i < c->variants_len; i++)
		variant(j, &c->variants[i]);
	dh_json_close(j, ']');
	dh_json_close(j, '}');
}

static void run(struct dh_json *j, const struct dh_finding_run *r)
{
	dh_json_open(j, NULL, '{');
	dh_json_text(j, "file", r->file);
	dh_json_number(j, "line", r->line);
	text_if(j, "engine", r->engine);
	text_if(j, "trace", r->trace);
	number_if(j, "process", r->process);
	text_if(j, "time", r->time);
	dh_json_bool(j, "complete", r->complete);
	dh_json_number(j, "findings", r->findings);
	number_if(j, "met", r->met);
	dh_json_open(j, "losses", '{');
	for (size_t i = 0; i < r->losses_len; i++)
		dh_json_number(j, r->losses[i].name, r->losses[i].count);
	dh_json_close(j, '}');
	text_if(j, "damage", r->damage);
	dh_json_close(j, '}');
}

/* ---- the whole ---- */

static void runs(struct dh_json *j, const struct dh_causes *c)
{
	dh_json_open(j, "runs", '[');
	for (size_t i = 0; i < dh_findings_runs(c->from); i++)
		run(j, dh_findings_run(c->from, i));
	dh_json_close(j, ']');
}

void dh_render_causes_json(FILE *to, const struct dh_causes *c,
			   const struct dh_render_options *o)
{
	struct dh_json j = {.to = to};
	dh_json_open(&j, NULL, '{');
	dh_json_text(&j, "type", "report");
	dh_json_number(&j, "version", 1);
	dh_json_number(&j, "findings", c->count);
	dh_json_bool(&j, "baseline", c->has_baseline);
	runs(&j, c);
	dh_json_open(&j, "causes", '[');
	for (size_t i = 0; i < c->len; i++)
		if (!o->only || o->only == &c->at[i])
			cause(&j, i + 1, &c->at[i]);
	dh_json_close(&j, ']');
	dh_json_close(&j, '}');
	fputc('\n', to);
}

static void diff_part(struct dh_json *j, const char *key, const struct dh_causes *c,
		      bool (*belongs)(const struct dh_cause *c))
{
	dh_json_open(j, key, '[');
	for (size_t i = 0; i < c->len; i++)
		if (belongs(&c->at[i]))
			cause(j, i + 1, &c->at[i]);
	dh_json_close(j, ']');
}

void dh_render_diff_json(FILE *to, const struct dh_causes *c, const struct dh_causes *old,
			 const struct dh_render_options *o)
{
	(void)o;
	struct dh_json j = {.to = to};
	dh_json_open(&j, NULL, '{');
	dh_json_text(&j, "type", "diff");
	dh_json_number(&j, "version", 1);
	dh_json_open(&j, "old", '{');
	runs(&j, old);
	diff_part(&j, "gone", old, dh_cause_is_gone);
	dh_json_close(&j, '}');
	runs(&j, c);
	diff_part(&j, "new", c, dh_cause_is_new);
	diff_part(&j, "still", c, dh_cause_is_still);
	dh_json_close(&j, '}');
	fputc('\n', to);
}
