/* SPDX-License-Identifier: MIT */
/* Findings for programs: one JSON object to a line, as docs/formats/findings.md has
 * it. */
#include "report/json.h"
#include "report/live.h"

#include <inttypes.h>
#include <time.h>

static void hex(struct dh_json *j, const char *key, uint64_t n)
{
	char text[24];
	snprintf(text, sizeof text, "0x%" PRIx64, n);
	dh_json_text(j, key, text);
}

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

static void frame(struct dh_json *j, const struct dh_source_frame *f)
{
	dh_json_open(j, NULL, '{');
	if (f->pc == DH_WIRE_LOST) {
		dh_json_bool(j, "lost", true);
	} else {
		hex(j, "pc", f->pc);
		text_if(j, "module", f->module);
		if (f->module)
			hex(j, "offset", f->offset);
		text_if(j, "function", f->function);
		text_if(j, "file", f->file);
		number_if(j, "line", f->line);
		number_if(j, "column", f->column);
		if (f->inlined)
			dh_json_bool(j, "inlined", true);
		if (f->folded)
			dh_json_bool(j, "folded", true);
	}
	dh_json_close(j, '}');
}

static void stack(struct dh_json *j, const char *key, const struct dh_source_frames *s)
{
	dh_json_open(j, key, '[');
	for (size_t i = 0; i < s->len; i++)
		frame(j, &s->at[i]);
	dh_json_close(j, ']');
}

static void thread_id(struct dh_json *j, const char *key, uint64_t id)
{
	if (id == DH_WIRE_NO_THREAD)
		dh_json_null(j, key);
	else
		dh_json_number(j, key, id);
}

static void global(struct dh_json *j, const struct dh_source_object *g)
{
	dh_json_text(j, "name", g->name);
	text_if(j, "part", g->part);
	text_if(j, "field", g->field);
	hex(j, "base", g->base);
	dh_json_number(j, "size", g->size);
	dh_json_number(j, "offset", g->offset);
	dh_json_text(j, "module", g->module);
	text_if(j, "file", g->file);
	number_if(j, "line", g->line);
}

static void lock(struct dh_json *j, const char *key, const struct dh_live_lock *l,
		 bool taken)
{
	dh_json_open(j, key, '{');
	hex(j, "address", l->address);
	if (taken)
		dh_json_text(j, "mode", l->flags & DH_WIRE_LOCK_WRITE ? "write" : "read");
	text_if(j, "name", l->name);
	if (l->is_global) {
		dh_json_open(j, "global", '{');
		global(j, &l->global);
		dh_json_close(j, '}');
	}
	if (taken)
		stack(j, "taken", &l->taken);
	if (l->created.len)
		stack(j, "created", &l->created);
	dh_json_close(j, '}');
}

static void locks(struct dh_json *j, const char *key, const struct dh_live_locks *all)
{
	dh_json_open(j, key, '[');
	for (size_t i = 0; i < all->len; i++)
		lock(j, NULL, &all->at[i], true);
	dh_json_close(j, ']');
}

static void held(struct dh_json *j, const struct dh_live_race *r, bool earlier)
{
	locks(j, "locks", earlier ? &r->sure : &r->locks);
	if (!earlier)
		number_if(j, "locks_lost", r->locks_lost);
	if (earlier && r->maybe.len)
		locks(j, "locks_maybe", &r->maybe);
	if (earlier && !r->earlier_known)
		dh_json_bool(j, "locks_known", false);
}

static void access(struct dh_json *j, const char *key, const struct dh_live_access *a,
		   const struct dh_live_race *r)
{
	dh_json_open(j, key, '{');
	dh_json_text(j, "op",
		     a->flags & DH_WIRE_FREE	? "free"
		     : a->flags & DH_WIRE_WRITE ? "write"
						: "read");
	dh_json_bool(j, "atomic", a->flags & DH_WIRE_ATOMIC);
	hex(j, "address", a->address);
	dh_json_number(j, "size", a->size);
	thread_id(j, "thread", a->thread);
	stack(j, "stack", &a->stack);
	held(j, r, a == &r->first);
	dh_json_close(j, '}');
}

static void threads(struct dh_json *j, const struct dh_live_race *r)
{
	dh_json_open(j, "threads", '[');
	for (size_t i = 0; i < r->threads.len; i++) {
		const struct dh_live_thread *t = &r->threads.at[i];
		dh_json_open(j, NULL, '{');
		dh_json_number(j, "id", t->id);
		dh_json_bool(j, "main", t->flags & DH_WIRE_MAIN);
		if (t->flags & DH_WIRE_TASK)
			dh_json_text(j, "kind", "task");
		if (t->flags & DH_WIRE_REGION) {
			dh_json_text(j, "kind", "parallel");
			dh_json_number(j, "number", t->flags >> DH_WIRE_NUMBER_SHIFT);
		}
		dh_json_bool(j, "running", t->flags & DH_WIRE_RUNNING);
		dh_json_number(j, "os_id", t->os_id);
		if (*t->name)
			dh_json_text(j, "name", t->name);
		if (!(t->flags & DH_WIRE_MAIN))
			dh_json_number(j, "parent", t->parent);
		if (t->created.len)
			stack(j, "created", &t->created);
		dh_json_close(j, '}');
	}
	dh_json_close(j, ']');
}

static void object(struct dh_json *j, const struct dh_live_race *r)
{
	const struct dh_live_object *o = &r->object;
	dh_json_open(j, "object", '{');
	text_if(j, "label", o->label);
	if (o->is_global) {
		dh_json_text(j, "kind", "global");
		global(j, &o->global);
		if (o->kind == DH_OBJECT_LOCAL)
			thread_id(j, "thread", o->thread);
	} else if (o->kind == DH_OBJECT_HEAP) {
		dh_json_text(j, "kind", "heap");
		hex(j, "base", o->base);
		dh_json_number(j, "size", o->size);
		dh_json_number(j, "offset", r->address - o->base);
		thread_id(j, "thread", o->thread);
		stack(j, "allocated", &o->allocated);
		if (o->freed) {
			thread_id(j, "free_thread", o->free_thread);
			stack(j, "freed", &o->released);
		}
	} else if (o->kind == DH_OBJECT_STACK || o->kind == DH_OBJECT_LOCAL) {
		dh_json_text(j, "kind", "stack");
		thread_id(j, "thread", o->thread);
	} else if (o->kind == DH_OBJECT_MAPPING) {
		dh_json_text(j, "kind", "mapping");
		hex(j, "base", o->base);
		dh_json_number(j, "size", o->size);
		dh_json_number(j, "offset", r->address - o->base);
		text_if(j, "file", o->file);
		if (*o->file)
			dh_json_number(j, "file_offset", o->file_offset);
	} else {
		dh_json_text(j, "kind", "unknown");
	}
	dh_json_close(j, '}');
}

/* Processes share a file, so each line says whose it is. */
static struct dh_json begin(FILE *to, const char *type, const struct dh_live_hello *h)
{
	struct dh_json j = {.to = to};
	dh_json_open(&j, NULL, '{');
	dh_json_text(&j, "type", type);
	dh_json_number(&j, "process", h->process);
	return j;
}

static void end(struct dh_json *j)
{
	dh_json_close(j, '}');
	fputc('\n', j->to);
}

static void now(struct dh_json *j, const char *key)
{
	char text[32];
	time_t t = time(NULL);
	struct tm tm;
	if (gmtime_r(&t, &tm) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm))
		dh_json_text(j, key, text);
}

void dh_live_json_start(const struct dh_live_hello *h, FILE *to)
{
	struct dh_json j = begin(to, "run", h);
	dh_json_number(&j, "version", 1);
	dh_json_text(&j, "engine", h->engine);
	now(&j, "time");
	end(&j);
}

void dh_live_json_race(const struct dh_live_hello *h, const struct dh_live_race *r,
		       bool further, FILE *to)
{
	struct dh_json j = begin(to, further ? "further" : "race", h);
	dh_json_number(&j, "serial", r->serial);
	dh_json_text(&j, "grade", dh_live_grade(r));
	hex(&j, "address", r->address);
	dh_json_number(&j, "size", r->size);
	text_if(&j, "suppressed", r->suppressed);
	if (r->known)
		dh_json_bool(&j, "known", true);
	if (r->second.flags & DH_WIRE_COARSE)
		dh_json_bool(&j, "coarse", true);
	if (r->second.flags & DH_WIRE_SUSPENDED)
		dh_json_bool(&j, "suspended", true);
	access(&j, "first", &r->first, r);
	access(&j, "second", &r->second, r);
	object(&j, r);
	threads(&j, r);
	end(&j);
}

static void evidence_numbers(struct dh_json *j, const struct dh_live_evidence *e)
{
	dh_json_bool(j, "complete", e->complete);
	dh_json_number(j, "accesses", e->accesses);
	dh_json_number(j, "reads", e->reads);
	dh_json_number(j, "writes", e->writes);
	dh_json_number(j, "atomics", e->atomics);
	dh_json_number(j, "threads", e->threads);
	dh_json_number(j, "read_then_write", e->read_then_write);
	dh_json_number(j, "unlocked", e->unlocked);
	dh_json_number(j, "same_value", e->same_value);
	dh_json_number(j, "other_steps", e->other_steps);
	dh_json_number(j, "first_site", e->first_site);
	dh_json_number(j, "second_site", e->second_site);
}

void dh_live_json_evidence(const struct dh_live_hello *h,
			   const struct dh_live_evidence *e, FILE *to)
{
	struct dh_json j = begin(to, "evidence", h);
	dh_json_number(&j, "serial", e->serial);
	hex(&j, "base", e->base);
	dh_json_number(&j, "size", e->size);
	evidence_numbers(&j, e);
	dh_json_open(&j, "held", '[');
	for (size_t i = 0; i < e->held.len; i++) {
		dh_json_open(&j, NULL, '{');
		lock(&j, "lock", &e->held.at[i].lock, false);
		dh_json_number(&j, "count", e->held.at[i].count);
		dh_json_close(&j, '}');
	}
	dh_json_close(&j, ']');
	dh_json_open(&j, "steps", '[');
	for (size_t i = 0; i < e->steps.len; i++) {
		dh_json_open(&j, NULL, '{');
		dh_json_signed(&j, "by", e->steps.at[i].by);
		dh_json_number(&j, "count", e->steps.at[i].count);
		dh_json_close(&j, '}');
	}
	dh_json_close(&j, ']');
	end(&j);
}

static const char *kind_text(enum dh_module_kind kind)
{
	static const char *const texts[] = {
	    [DH_MODULE_INSTRUMENTED] = "instrumented",
	    [DH_MODULE_PLAIN] = "plain",
	    [DH_MODULE_SYSTEM] = "system",
	    [DH_MODULE_RUNTIME] = "runtime",
	    [DH_MODULE_UNREADABLE] = "unreadable",
	};
	return texts[kind];
}

static void rules(struct dh_json *j, const struct dh_live_end *e)
{
	dh_json_open(j, "suppressions", '[');
	for (size_t i = 0; i < e->rules.len; i++) {
		dh_json_open(j, NULL, '{');
		dh_json_text(j, "rule", e->rules.at[i].text);
		dh_json_text(j, "file", e->rules.at[i].file);
		dh_json_number(j, "line", e->rules.at[i].line);
		dh_json_number(j, "count", e->rules.at[i].used);
		dh_json_close(j, '}');
	}
	dh_json_close(j, ']');
}

void dh_live_json_end(const struct dh_live_hello *h, const struct dh_live_end *e,
		      struct dh_symbols *s, FILE *to)
{
	struct dh_json j = begin(to, "summary", h);
	dh_json_bool(&j, "complete", e->told);
	dh_json_number(&j, "races", e->distinct);
	dh_json_number(&j, "met", e->total);
	dh_json_number(&j, "suppressed", e->suppressed);
	dh_json_number(&j, "known", e->known);
	rules(&j, e);
	dh_json_open(&j, "losses", '{');
	for (size_t i = 0; i < e->counters.len; i++)
		if (e->counters.at[i].loss && e->counters.at[i].value)
			dh_json_number(&j, e->counters.at[i].name,
				       e->counters.at[i].value);
	dh_json_close(&j, '}');
	dh_json_open(&j, "counters", '{');
	for (size_t i = 0; i < e->counters.len; i++)
		dh_json_number(&j, e->counters.at[i].name, e->counters.at[i].value);
	dh_json_close(&j, '}');
	dh_json_open(&j, "modules", '[');
	for (uint32_t i = 0; i < dh_symbols_count(s); i++) {
		dh_json_open(&j, NULL, '{');
		dh_json_text(&j, "path", dh_symbols_path(s, i));
		dh_json_text(&j, "kind", kind_text(dh_symbols_kind(s, i)));
		dh_json_close(&j, '}');
	}
	dh_json_close(&j, ']');
	end(&j);
}
