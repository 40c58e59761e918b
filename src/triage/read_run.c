/* SPDX-License-Identifier: MIT */
/* The lines of `deadheat run --json`, as docs/formats/findings.md has them. */
#include "triage/findings_internal.h"

#include <string.h>

/* The threads of the race that is being read: what accesses and objects name by id. */
struct cast {
	size_t len;
	struct dh_finding_thread *at;
};

/* ---- runs ---- */

static struct dh_finding_run *run_of(struct dh_findings *s, const struct dh_json_value *v)
{
	uint64_t process = dh_json_uint(dh_json_get(v, "process"), 0);
	uint64_t *known = process ? dh_map_get(&s->processes, process) : NULL;
	if (known)
		return (struct dh_finding_run *)(uintptr_t)*known;
	if (!s->run) { /* the line that says so is not there */
		s->run = dh_findings_add_run(s);
		s->run->engine = dh_findings_keep(s, "fasttrack");
		s->run->process = process;
	}
	return s->run;
}

bool dh_findings_read_run(struct dh_findings *s, const struct dh_json_value *v)
{
	uint64_t version = dh_json_uint(dh_json_get(v, "version"), 0);
	if (version != 1)
		return dh_findings_fail(s,
					"version %llu of the format; this deadheat "
					"reads version 1",
					(unsigned long long)version);
	struct dh_finding_run *run = s->run = dh_findings_add_run(s);
	run->engine = dh_findings_text(s, dh_json_get(v, "engine"));
	run->process = dh_json_uint(dh_json_get(v, "process"), 0);
	run->time = dh_findings_text(s, dh_json_get(v, "time"));
	if (!run->engine)
		return dh_findings_fail(s, "a run without its engine");
	if (run->process)
		*dh_map_put(&s->processes, run->process, NULL) = (uintptr_t)run;
	return true;
}

bool dh_findings_read_summary(struct dh_findings *s, const struct dh_json_value *v)
{
	struct dh_finding_run *run = run_of(s, v);
	const struct dh_json_value *losses = dh_json_get(v, "losses");
	run->ended = true;
	run->complete = dh_json_is(dh_json_get(v, "complete"), DH_JSON_TRUE);
	run->met = dh_json_uint(dh_json_get(v, "met"), 0);
	if (!dh_json_is(losses, DH_JSON_OBJECT))
		return true;
	struct dh_finding_loss *at =
	    dh_pool_alloc(&s->pool, dh_findings_length(losses) * sizeof *at);
	run->losses = at;
	for (const struct dh_json_value *c = dh_json_first(losses); c;
	     c = dh_json_next(losses, c)) {
		at->name = dh_pool_text(&s->pool, c->key, c->key_len);
		at->count = dh_json_uint(c, 0);
		run->losses_len++;
		at++;
	}
	return true;
}

/* ---- threads ---- */

static struct cast threads(struct dh_findings *s, const struct dh_json_value *v)
{
	struct cast cast = {0};
	if (!dh_json_is(v, DH_JSON_ARRAY))
		return cast;
	cast.at = dh_pool_alloc(&s->pool, dh_findings_length(v) * sizeof *cast.at);
	for (const struct dh_json_value *c = dh_json_first(v); c;
	     c = dh_json_next(v, c)) {
		const char *id = dh_findings_digits(s, dh_json_get(c, "id"));
		if (!id)
			continue;
		cast.at[cast.len++] = (struct dh_finding_thread){
		    .id = id,
		    .name = dh_findings_text(s, dh_json_get(c, "name")),
		    .parent = dh_findings_digits(s, dh_json_get(c, "parent")),
		    .main = dh_json_is(dh_json_get(c, "main"), DH_JSON_TRUE),
		    .running = dh_json_is(dh_json_get(c, "running"), DH_JSON_TRUE),
		    .created = dh_findings_stack(s, dh_json_get(c, "created")),
		};
	}
	return cast;
}

static const struct dh_finding_thread *
thread(struct dh_findings *s, const struct cast *cast, const struct dh_json_value *v)
{
	const char *id = dh_findings_digits(s, v);
	for (size_t i = 0; id && i < cast->len; i++)
		if (cast->at[i].id == id)
			return &cast->at[i];
	if (!id)
		return NULL;
	struct dh_finding_thread *t = dh_pool_alloc(&s->pool, sizeof *t);
	t->id = id;
	return t;
}

/* ---- locks ---- */

/* Its own name, else the variable's with the part, else the address. */
static const char *lock_name(struct dh_findings *s, const struct dh_json_value *v,
			     const struct dh_finding_lock *l)
{
	const char *name = dh_findings_text(s, dh_json_get(v, "name"));
	if (!name && l->global) {
		const char *part = l->global->part ? l->global->part : "";
		size_t n = strlen(l->global->name), m = strlen(part);
		char *both = dh_mem_alloc(n + m + 1);
		memcpy(both, l->global->name, n);
		memcpy(both + n, part, m);
		name = dh_pool_text(&s->pool, both, n + m);
		dh_mem_free(both, n + m + 1);
	}
	if (!name)
		name = l->address;
	return name ? name : dh_findings_keep(s, "?");
}

static void lock(struct dh_findings *s, const struct dh_json_value *v,
		 struct dh_finding_lock *l)
{
	const struct dh_json_value *global = dh_json_get(v, "global");
	const char *mode = dh_json_text_of(dh_json_get(v, "mode"));
	*l = (struct dh_finding_lock){
	    .address = dh_findings_text(s, dh_json_get(v, "address")),
	    .read_mode = mode && strcmp(mode, "read") == 0,
	    .taken = dh_findings_stack(s, dh_json_get(v, "taken")),
	    .created = dh_findings_stack(s, dh_json_get(v, "created")),
	};
	if (dh_json_text_of(dh_json_get(global, "name"))) {
		struct dh_finding_variable *g = dh_pool_alloc(&s->pool, sizeof *g);
		*g = dh_findings_variable(s, global);
		l->global = g->name ? g : NULL;
	}
	l->name = lock_name(s, v, l);
}

static struct dh_finding_locks locks(struct dh_findings *s, const struct dh_json_value *v)
{
	struct dh_finding_locks set = {0};
	if (!dh_json_is(v, DH_JSON_ARRAY))
		return set;
	struct dh_finding_lock *at =
	    dh_pool_alloc(&s->pool, dh_findings_length(v) * sizeof *at);
	for (const struct dh_json_value *c = dh_json_first(v); c; c = dh_json_next(v, c))
		lock(s, c, &at[set.len++]);
	set.at = at;
	return set;
}

/* ---- accesses and the object ---- */

static bool access(struct dh_findings *s, const struct dh_json_value *v,
		   const struct cast *cast, struct dh_finding_access *a)
{
	static const char *const ops[] = {"read", "write", "free"};
	const char *op = dh_json_text_of(dh_json_get(v, "op"));
	const struct dh_json_value *held = dh_json_get(v, "locks");
	size_t kind = 0;
	while (op && kind < DH_ARRAY_LEN(ops) && strcmp(op, ops[kind]) != 0)
		kind++;
	if (!op || kind == DH_ARRAY_LEN(ops))
		return dh_findings_fail(s, "an access that is no read, write or free");
	*a = (struct dh_finding_access){
	    .op = (enum dh_finding_op)kind,
	    .atomic = dh_json_is(dh_json_get(v, "atomic"), DH_JSON_TRUE),
	    .size = dh_json_uint(dh_json_get(v, "size"), 0),
	    .thread = thread(s, cast, dh_json_get(v, "thread")),
	    .stack = dh_findings_stack(s, dh_json_get(v, "stack")),
	    .locks_known = dh_json_is(held, DH_JSON_ARRAY) &&
			   !dh_json_is(dh_json_get(v, "locks_known"), DH_JSON_FALSE),
	    .locks = locks(s, held),
	    .locks_maybe = locks(s, dh_json_get(v, "locks_maybe")),
	    .locks_lost = dh_json_uint(dh_json_get(v, "locks_lost"), 0),
	};
	if (!a->stack)
		a->stack = dh_pool_stack(&s->pool, NULL, 0);
	return true;
}

static void object(struct dh_findings *s, const struct dh_json_value *v,
		   const struct cast *cast, struct dh_finding_object *o)
{
	const char *kind = dh_json_text_of(dh_json_get(v, "kind"));
	*o = (struct dh_finding_object){
	    .label = dh_findings_text(s, dh_json_get(v, "label")),
	    .size = dh_json_uint(dh_json_get(v, "size"), 0),
	    .offset = dh_json_uint(dh_json_get(v, "offset"), 0),
	    .thread = thread(s, cast, dh_json_get(v, "thread")),
	};
	if (kind && strcmp(kind, "global") == 0) {
		o->kind = DH_KIND_GLOBAL;
		o->variable = dh_findings_variable(s, v);
		if (!o->variable.name)
			o->kind = DH_KIND_UNKNOWN;
	} else if (kind && strcmp(kind, "heap") == 0) {
		o->kind = DH_KIND_HEAP;
		o->allocated = dh_findings_stack(s, dh_json_get(v, "allocated"));
		o->free_thread = thread(s, cast, dh_json_get(v, "free_thread"));
		o->freed = dh_findings_stack(s, dh_json_get(v, "freed"));
	} else if (kind && strcmp(kind, "stack") == 0) {
		o->kind = DH_KIND_STACK;
	}
}

/* ---- evidence ---- */

static void held(struct dh_findings *s, const struct dh_json_value *v,
		 struct dh_finding_evidence *e)
{
	if (!dh_json_is(v, DH_JSON_ARRAY))
		return;
	struct dh_finding_held *at =
	    dh_pool_alloc(&s->pool, dh_findings_length(v) * sizeof *at);
	e->held = at;
	for (const struct dh_json_value *c = dh_json_first(v); c;
	     c = dh_json_next(v, c)) {
		struct dh_finding_lock *l = dh_pool_alloc(&s->pool, sizeof *l);
		lock(s, dh_json_get(c, "lock"), l);
		at[e->held_len].lock = l;
		at[e->held_len++].count = dh_json_uint(dh_json_get(c, "count"), 0);
	}
}

static void steps(struct dh_findings *s, const struct dh_json_value *v,
		  struct dh_finding_evidence *e)
{
	if (!dh_json_is(v, DH_JSON_ARRAY))
		return;
	struct dh_finding_step *at =
	    dh_pool_alloc(&s->pool, dh_findings_length(v) * sizeof *at);
	e->steps = at;
	for (const struct dh_json_value *c = dh_json_first(v); c;
	     c = dh_json_next(v, c)) {
		at[e->steps_len].by = dh_json_int(dh_json_get(c, "by"), 0);
		at[e->steps_len++].count = dh_json_uint(dh_json_get(c, "count"), 0);
	}
}

static void evidence(struct dh_findings *s, struct dh_finding *f,
		     const struct dh_json_value *v)
{
	const struct dh_json_value *values = dh_json_get(v, "values");
	struct dh_finding_evidence *e = dh_pool_alloc(&s->pool, sizeof *e);
	*e = (struct dh_finding_evidence){
	    .complete = !dh_json_is(dh_json_get(v, "complete"), DH_JSON_FALSE),
	    .accesses = dh_json_uint(dh_json_get(v, "accesses"), 0),
	    .reads = dh_json_uint(dh_json_get(v, "reads"), 0),
	    .writes = dh_json_uint(dh_json_get(v, "writes"), 0),
	    .atomics = dh_json_uint(dh_json_get(v, "atomics"), 0),
	    .threads = dh_json_uint(dh_json_get(v, "threads"), 0),
	    .read_then_write = dh_json_uint(dh_json_get(v, "read_then_write"), 0),
	    .unlocked = dh_json_uint(dh_json_get(v, "unlocked"), 0),
	    .same_value = dh_json_uint(dh_json_get(v, "same_value"), 0),
	    .other_steps = dh_json_uint(dh_json_get(v, "other_steps"), 0),
	    .first_site = dh_json_uint(dh_json_get(v, "first_site"), 0),
	    .second_site = dh_json_uint(dh_json_get(v, "second_site"), 0),
	    .before = dh_findings_text(s, dh_json_get(values, "before")),
	    .after = dh_findings_text(s, dh_json_get(values, "after")),
	};
	held(s, dh_json_get(v, "held"), e);
	steps(s, dh_json_get(v, "steps"), e);
	f->evidence = e;
}

static uint64_t serial_key(const struct dh_finding_run *run, uint64_t serial)
{
	return dh_mix((uint64_t)run->number << 40 ^ serial);
}

bool dh_findings_read_evidence(struct dh_findings *s, const struct dh_json_value *v)
{
	uint64_t serial = dh_json_uint(dh_json_get(v, "serial"), 0);
	uint64_t *known = dh_map_get(&s->serials, serial_key(run_of(s, v), serial));
	if (!serial)
		return dh_findings_fail(s, "evidence without the serial of its race");
	if (known) /* else of a race that was taken out of the file */
		evidence(s, (struct dh_finding *)(uintptr_t)*known, v);
	return true;
}

/* ---- races ---- */

/* All but what follows from its place in the set. */
static bool race(struct dh_findings *s, const struct dh_json_value *v,
		 struct dh_finding *out)
{
	const struct dh_json_value *first = dh_json_get(v, "first");
	struct dh_finding f = {0};
	struct cast cast = threads(s, dh_json_get(v, "threads"));
	if (!dh_findings_grade(s, v, &f.grade) ||
	    !access(s, dh_json_get(v, "second"), &cast, &f.second))
		return false;
	f.has_first = dh_json_is(first, DH_JSON_OBJECT);
	if (f.has_first && !access(s, first, &cast, &f.first))
		return false;
	if (!f.has_first)
		f.first.stack = dh_pool_stack(&s->pool, NULL, 0);
	object(s, dh_json_get(v, "object"), &cast, &f.object);
	f.object.object_level = dh_json_is(dh_json_get(v, "object_level"), DH_JSON_TRUE);
	f.threads = cast.at;
	f.threads_len = cast.len;
	f.serial = dh_json_uint(dh_json_get(v, "serial"), 0);
	f.suppressed = dh_findings_text(s, dh_json_get(v, "suppressed"));
	if (dh_json_get(v, "evidence"))
		evidence(s, &f, dh_json_get(v, "evidence"));
	*out = f;
	return true;
}

/* Puts it into the set as a finding. */
static void enter(struct dh_findings *s, struct dh_finding_run *run, struct dh_finding f)
{
	struct dh_finding *kept = dh_findings_add(s, run);
	f.run = kept->run;
	f.line = kept->line;
	*kept = f;
	if (f.serial)
		*dh_map_put(&s->serials, serial_key(f.run, f.serial), NULL) =
		    (uintptr_t)kept;
}

bool dh_findings_read_race(struct dh_findings *s, const struct dh_json_value *v)
{
	struct dh_finding f;
	if (!race(s, v, &f))
		return false;
	enter(s, run_of(s, v), f);
	return true;
}

/* Where its race was taken out of the file, or was suppressed and this was not, it is
 * what the finding begins with. */
bool dh_findings_read_further(struct dh_findings *s, const struct dh_json_value *v)
{
	struct dh_finding f;
	struct dh_finding_run *run = run_of(s, v);
	if (!race(s, v, &f))
		return false;
	uint64_t *known =
	    f.serial ? dh_map_get(&s->serials, serial_key(run, f.serial)) : NULL;
	struct dh_finding *last = known ? (struct dh_finding *)(uintptr_t)*known : NULL;
	if (!last || (last->suppressed && !f.suppressed)) {
		enter(s, run, f);
		return true;
	}
	if (f.suppressed && !last->suppressed)
		return true; /* not to be told of */
	while (last->further)
		last = last->further;
	last->further = dh_pool_alloc(&s->pool, sizeof f);
	f.run = run;
	f.line = s->line;
	*last->further = f;
	return true;
}
