/* SPDX-License-Identifier: MIT */
/*
 * The data of the HTML report: causes, their variants and what is known of each, as
 * html/data.js reads it. What is not known is left out.
 */
#include "triage/page.h"
#include "triage/describe.h"

struct page {
	struct dh_json j;
	struct dh_page_tables t;
	const struct dh_render_options *o;
	uint32_t context;  /* lines of source around a racing one */
	const char *since; /* of the finding that is being written */
};

enum { LEAST_CONTEXT = 5 }; /* there is room for it */

static void text_if(struct page *p, const char *key, const char *value)
{
	if (value)
		dh_json_text(&p->j, key, value);
}

static void number_if(struct page *p, const char *key, uint64_t value)
{
	if (value)
		dh_json_number(&p->j, key, value);
}

static void true_if(struct page *p, const char *key, bool value)
{
	if (value)
		dh_json_bool(&p->j, key, true);
}

static void stack_if(struct page *p, const char *key, const struct dh_finding_stack *s)
{
	if (s)
		dh_json_number(&p->j, key, dh_page_stack(&p->t, s, 0, p->since));
}

static void thread_if(struct page *p, const char *key, const struct dh_finding_thread *t)
{
	if (t)
		dh_json_text(&p->j, key, t->id);
}

/* ---- a finding ---- */

static void locks(struct page *p, const char *key, const struct dh_finding_locks *l)
{
	dh_json_open(&p->j, key, '[');
	for (size_t i = 0; i < l->len; i++) {
		dh_json_open(&p->j, NULL, '{');
		dh_json_text(&p->j, "name", l->at[i].name);
		text_if(p, "address", l->at[i].address);
		true_if(p, "read", l->at[i].read_mode);
		stack_if(p, "taken", l->at[i].taken);
		stack_if(p, "created", l->at[i].created);
		dh_json_close(&p->j, '}');
	}
	dh_json_close(&p->j, ']');
}

static void access(struct page *p, const char *key, const struct dh_finding_access *a)
{
	static const char *const ops[] = {
	    [DH_OP_READ] = "read", [DH_OP_WRITE] = "write", [DH_OP_FREE] = "free"};
	dh_json_open(&p->j, key, '{');
	dh_json_text(&p->j, "op", ops[a->op]);
	true_if(p, "atomic", a->atomic);
	number_if(p, "size", a->size);
	if (a->has_index)
		dh_json_number(&p->j, "index", a->index);
	thread_if(p, "thread", a->thread);
	dh_json_number(&p->j, "stack",
		       dh_page_stack(&p->t, a->stack, p->context, p->since));
	if (a->locks_known) {
		locks(p, "locks", &a->locks);
		if (a->locks_maybe.len)
			locks(p, "locks_maybe", &a->locks_maybe);
		number_if(p, "locks_lost", a->locks_lost);
	}
	dh_json_close(&p->j, '}');
}

static void object(struct page *p, const struct dh_finding *f)
{
	static const char *const kinds[] = {[DH_KIND_UNKNOWN] = "unknown",
					    [DH_KIND_GLOBAL] = "global",
					    [DH_KIND_HEAP] = "heap",
					    [DH_KIND_STACK] = "stack",
					    [DH_KIND_VARIABLE] = "variable"};
	const struct dh_finding_object *o = &f->object;
	dh_json_open(&p->j, "object", '{');
	dh_json_text(&p->j, "kind", kinds[o->kind]);
	dh_json_text(&p->j, "title", dh_describe_object(f).text);
	text_if(p, "label", o->label);
	text_if(p, "name", o->variable.name);
	text_if(p, "part", o->variable.part);
	number_if(p, "size", o->size);
	number_if(p, "offset", o->offset);
	if (o->variable.file) {
		dh_json_text(&p->j, "file", dh_render_path(p->o, o->variable.file));
		number_if(p, "line", o->variable.line);
		dh_page_line(&p->t, o->variable.file, o->variable.line, p->since);
	}
	thread_if(p, "thread", o->thread);
	stack_if(p, "allocated", o->allocated);
	thread_if(p, "free_thread", o->free_thread);
	stack_if(p, "freed", o->freed);
	true_if(p, "object_level", o->object_level);
	dh_json_close(&p->j, '}');
}

static void threads(struct page *p, const struct dh_finding *f)
{
	dh_json_open(&p->j, "threads", '[');
	for (size_t i = 0; i < f->threads_len; i++) {
		const struct dh_finding_thread *t = &f->threads[i];
		dh_json_open(&p->j, NULL, '{');
		dh_json_text(&p->j, "id", t->id);
		text_if(p, "name", t->name);
		text_if(p, "parent", t->parent);
		true_if(p, "main", t->main);
		true_if(p, "running", t->running);
		stack_if(p, "created", t->created);
		dh_json_close(&p->j, '}');
	}
	dh_json_close(&p->j, ']');
}

static void steps(struct page *p, const struct dh_finding_evidence *e)
{
	dh_json_open(&p->j, "steps", '[');
	for (size_t i = 0; i < e->steps_len; i++) {
		dh_json_open(&p->j, NULL, '{');
		dh_json_signed(&p->j, "by", e->steps[i].by);
		dh_json_number(&p->j, "count", e->steps[i].count);
		dh_json_close(&p->j, '}');
	}
	dh_json_close(&p->j, ']');
}

static void evidence(struct page *p, const struct dh_finding_evidence *e)
{
	dh_json_open(&p->j, "evidence", '{');
	dh_json_bool(&p->j, "complete", e->complete);
	dh_json_number(&p->j, "accesses", e->accesses);
	dh_json_number(&p->j, "reads", e->reads);
	dh_json_number(&p->j, "writes", e->writes);
	dh_json_number(&p->j, "atomics", e->atomics);
	dh_json_number(&p->j, "threads", e->threads);
	dh_json_number(&p->j, "unlocked", e->unlocked);
	dh_json_number(&p->j, "same_value", e->same_value);
	dh_json_number(&p->j, "read_then_write", e->read_then_write);
	steps(p, e);
	dh_json_open(&p->j, "held", '[');
	for (size_t i = 0; i < e->held_len; i++) {
		dh_json_open(&p->j, NULL, '{');
		dh_json_text(&p->j, "name", e->held[i].lock->name);
		dh_json_number(&p->j, "count", e->held[i].count);
		dh_json_close(&p->j, '}');
	}
	dh_json_close(&p->j, ']');
	dh_json_close(&p->j, '}');
}

static void witness(struct page *p, const struct dh_finding *f)
{
	dh_json_open(&p->j, "witness", '[');
	for (size_t i = 0; i < f->witness_len; i++)
		dh_json_number(&p->j, NULL, f->witness[i]);
	dh_json_close(&p->j, ']');
	number_if(p, "witness_start", f->witness_start);
}

/* Accesses that were added to the two, with the threads that these name. */
static void further(struct page *p, const struct dh_finding *f)
{
	struct dh_finding_place places[DH_FINDING_MOST];
	size_t len = dh_finding_places(f, places);
	if (!f->further)
		return;
	dh_json_open(&p->j, "further", '[');
	for (size_t i = f->has_first ? 2 : 1; i < len; i++) {
		dh_json_open(&p->j, NULL, '{');
		access(p, "access", places[i].access);
		dh_json_text(&p->j, "grade", dh_grade_text(places[i].race->grade));
		threads(p, places[i].race);
		dh_json_close(&p->j, '}');
	}
	dh_json_close(&p->j, ']');
}

static void finding(struct page *p, const struct dh_finding *f)
{
	p->since = f->run->time;
	dh_json_open(&p->j, "finding", '{');
	if (f->has_first)
		access(p, "first", &f->first);
	access(p, "second", &f->second);
	object(p, f);
	threads(p, f);
	further(p, f);
	if (f->evidence)
		evidence(p, f->evidence);
	if (f->witness_len)
		witness(p, f);
	dh_json_number(&p->j, "run", f->run->number);
	number_if(p, "serial", f->serial);
	dh_json_close(&p->j, '}');
}

/* ---- causes ---- */

static void seen(struct page *p, const struct dh_sightings *s, bool is_new)
{
	dh_json_number(&p->j, "count", s->count);
	dh_json_number(&p->j, "runs", s->runs);
	dh_json_number(&p->j, "first", s->first->number);
	dh_json_number(&p->j, "last", s->last->number);
	true_if(p, "new", is_new);
}

static void patterns_of(struct page *p, const struct dh_pattern *at, size_t len)
{
	dh_json_open(&p->j, "patterns", '[');
	for (size_t i = 0; i < len; i++) {
		dh_json_open(&p->j, NULL, '{');
		dh_json_number(&p->j, "kind", at[i].kind);
		text_if(p, "because", at[i].because);
		dh_json_close(&p->j, '}');
	}
	dh_json_close(&p->j, ']');
}

static void variant(struct page *p, const struct dh_variant *v)
{
	dh_json_open(&p->j, NULL, '{');
	dh_json_text(&p->j, "id", v->id.text);
	dh_json_text(&p->j, "grade", dh_grade_text(v->grade));
	seen(p, &v->seen, v->is_new);
	patterns_of(p, v->patterns, v->patterns_len);
	finding(p, v->sample);
	dh_json_close(&p->j, '}');
}

static void cause(struct page *p, const struct dh_cause *c, size_t rank)
{
	dh_json_open(&p->j, NULL, '{');
	dh_json_number(&p->j, "rank", rank);
	dh_json_text(&p->j, "id", c->id.text);
	dh_json_text(&p->j, "title", c->title);
	text_if(p, "common", c->common);
	dh_json_text(&p->j, "grade", dh_grade_text(c->grade));
	text_if(p, "suppressed", c->variants[0].sample->suppressed);
	seen(p, &c->seen, c->is_new);
	patterns_of(p, c->patterns, c->patterns_len);
	dh_json_open(&p->j, "variants", '[');
	for (size_t i = 0; i < c->variants_len; i++)
		variant(p, &c->variants[i]);
	dh_json_close(&p->j, ']');
	dh_json_close(&p->j, '}');
}

static void runs(struct page *p, const struct dh_findings *from)
{
	dh_json_open(&p->j, "runs", '[');
	for (size_t i = 0; i < dh_findings_runs(from); i++) {
		const struct dh_finding_run *r = dh_findings_run(from, i);
		dh_json_open(&p->j, NULL, '{');
		dh_json_text(&p->j, "file", dh_render_path(p->o, r->file));
		text_if(p, "engine", r->engine);
		text_if(p, "trace", r->trace);
		number_if(p, "process", r->process);
		text_if(p, "time", r->time);
		dh_json_bool(&p->j, "complete", r->complete && !r->damage);
		dh_json_open(&p->j, "losses", '[');
		for (size_t k = 0; k < r->losses_len; k++) {
			dh_json_open(&p->j, NULL, '{');
			dh_json_text(&p->j, "name", r->losses[k].name);
			dh_json_number(&p->j, "count", r->losses[k].count);
			dh_json_close(&p->j, '}');
		}
		dh_json_close(&p->j, ']');
		dh_json_close(&p->j, '}');
	}
	dh_json_close(&p->j, ']');
}

static void patterns(struct page *p)
{
	dh_json_open(&p->j, "patterns", '[');
	for (int i = 0; i < DH_PATTERNS; i++) {
		dh_json_open(&p->j, NULL, '[');
		dh_json_text(&p->j, NULL, dh_pattern_texts[i].name);
		dh_json_text(&p->j, NULL, dh_pattern_texts[i].title);
		dh_json_text(&p->j, NULL, dh_pattern_texts[i].advice);
		dh_json_close(&p->j, ']');
	}
	dh_json_close(&p->j, ']');
}

static void grades(struct page *p)
{
	dh_json_open(&p->j, "grades", '{');
	for (enum dh_grade g = DH_OBSERVED; g <= DH_PREDICTED; g++)
		dh_json_text(&p->j, dh_grade_text(g), dh_describe_grade(g));
	dh_json_close(&p->j, '}');
}

void dh_page_data(FILE *to, const struct dh_causes *c, const struct dh_render_options *o)
{
	struct page p = {.j = {.to = to, .markup = true}, .t = {.o = o}, .o = o};
	p.context = DH_MAX(o->context, (unsigned)LEAST_CONTEXT);
	dh_json_open(&p.j, NULL, '{');
	dh_json_text(&p.j, "version", DH_VERSION);
	dh_json_number(&p.j, "findings", c->count);
	dh_json_number(&p.j, "context", p.context);
	dh_json_bool(&p.j, "baseline", c->has_baseline);
	grades(&p);
	patterns(&p);
	runs(&p, c->from);
	dh_json_open(&p.j, "causes", '[');
	for (size_t i = 0; i < c->len; i++)
		if (!o->only || o->only == &c->at[i])
			cause(&p, &c->at[i], i + 1);
	for (size_t i = 0; o->suppressed && i < o->suppressed->len; i++)
		cause(&p, &o->suppressed->at[i], c->len + i + 1);
	dh_json_close(&p.j, ']');
	dh_page_tables_write(&p.t, &p.j);
	dh_json_close(&p.j, '}');
	dh_page_tables_free(&p.t);
}
