/* SPDX-License-Identifier: MIT */
/* Messages of wire.h to the model of live.h. Nothing in a message is trusted to be well
 * formed: lengths and counts are held against what is left of it. */
#include "report/live.h"

#include <stdlib.h>
#include <string.h>

/* ---- pieces ---- */

uint64_t dh_live_read_word(struct dh_live_input *in)
{
	uint64_t n = 0;
	if (in->left < sizeof n) {
		in->bad = true;
		in->left = 0;
		return 0;
	}
	memcpy(&n, in->at, sizeof n);
	in->at += sizeof n;
	in->left -= sizeof n;
	return n;
}

/* A count of things that take at least one word each. */
static uint64_t count(struct dh_live_input *in)
{
	uint64_t n = dh_live_read_word(in);
	if (n > in->left / sizeof n) {
		in->bad = true;
		return 0;
	}
	return n;
}

static char *text(struct dh_live_input *in)
{
	uint64_t n = dh_live_read_word(in);
	if (n > in->left) {
		in->bad = true;
		n = 0;
	}
	char *copy = strndup(in->at, n);
	DH_CHECK(copy != NULL);
	in->at += n;
	in->left -= n;
	return copy;
}

/* Libraries call main and the start of a thread: no part of the program's stack. */
static void drop_callers(struct dh_source_frames *f)
{
	while (f->len > 1 && f->at[f->len - 1].system)
		f->len--;
}

/* The runtime stands between a library and functions of the program that it calls, like
 * the initialiser of pthread_once(). */
static void drop_runtime(struct dh_source_frames *f)
{
	size_t kept = DH_MIN(f->len, (size_t)1);
	for (size_t i = kept; i < f->len; i++)
		if (!f->at[i].runtime)
			f->at[kept++] = f->at[i];
	f->len = kept;
}

static void stack(struct dh_live_input *in, struct dh_symbols *s,
		  struct dh_source_frames *out)
{
	for (uint64_t n = count(in); n > 0; n--) {
		uint64_t pc = dh_live_read_word(in);
		if (pc != DH_WIRE_FOLDED)
			dh_symbols_frames(s, pc, out);
		else if (out->len)
			out->at[out->len - 1].folded = true;
	}
	drop_runtime(out);
	drop_callers(out);
}

static void access(struct dh_live_input *in, struct dh_symbols *s,
		   struct dh_live_access *out)
{
	out->flags = dh_live_read_word(in);
	out->address = dh_live_read_word(in);
	out->size = dh_live_read_word(in);
	out->thread = dh_live_read_word(in);
	stack(in, s, &out->stack);
}

static void thread(struct dh_live_input *in, struct dh_symbols *s,
		   struct dh_live_thread *out)
{
	out->id = dh_live_read_word(in);
	out->parent = dh_live_read_word(in);
	out->os_id = dh_live_read_word(in);
	out->flags = dh_live_read_word(in);
	out->name = text(in);
	stack(in, s, &out->created);
}

/* A lock is one thing to its user: without the fields that the libraries made it of,
 * whose names are reserved. */
static const char *outside(struct dh_symbols *s, const char *part)
{
	const char *at = part;
	while (at && (at = strstr(at, "._")) && at[2] != '_' &&
	       !(at[2] >= 'A' && at[2] <= 'Z'))
		at++;
	if (!at)
		return part;
	char *cut = strndup(part, (size_t)(at - part));
	const char *kept = *cut ? dh_symbols_keep(s, cut) : "";
	free(cut);
	return kept;
}

static void lock(struct dh_live_input *in, struct dh_symbols *s, struct dh_live_lock *out)
{
	out->address = dh_live_read_word(in);
	out->flags = dh_live_read_word(in);
	out->name = text(in);
	stack(in, s, &out->taken);
	stack(in, s, &out->created);
	out->is_global = dh_symbols_object(s, out->address, 0, &out->global);
	out->global.part = outside(s, out->global.part);
	out->global.field = NULL;
}

static void locks(struct dh_live_input *in, struct dh_symbols *s,
		  struct dh_live_locks *out)
{
	uint64_t n = count(in);
	dh_vec_grow(out, n);
	for (uint64_t i = 0; i < n; i++)
		lock(in, s, &out->at[i]);
}

static void free_lock(struct dh_live_lock *l)
{
	free(l->name);
	dh_vec_free(&l->taken);
	dh_vec_free(&l->created);
}

static void free_locks(struct dh_live_locks *l)
{
	for (size_t i = 0; i < l->len; i++)
		free_lock(&l->at[i]);
	dh_vec_free(l);
}

/* How much both have accessed at the address of the race; 0 where they differ in that. */
static uint64_t accessed(const struct dh_live_race *r)
{
	const struct dh_live_access *a = &r->first, *b = &r->second;
	return a->address == b->address && a->size == b->size ? a->size : 0;
}

static void object(struct dh_live_input *in, struct dh_symbols *s,
		   struct dh_live_race *race)
{
	struct dh_live_object *out = &race->object;
	out->label = text(in);
	out->kind = (enum dh_wire_object)dh_live_read_word(in);
	if (out->kind == DH_OBJECT_HEAP) {
		out->base = dh_live_read_word(in);
		out->size = dh_live_read_word(in);
		out->thread = dh_live_read_word(in);
		stack(in, s, &out->allocated);
		out->freed = dh_live_read_word(in) != 0;
		out->free_thread = dh_live_read_word(in);
		stack(in, s, &out->released);
	} else if (out->kind == DH_OBJECT_STACK) {
		out->thread = dh_live_read_word(in);
	} else if (out->kind == DH_OBJECT_LOCAL) {
		out->thread = dh_live_read_word(in);
		uint64_t module = dh_live_read_word(in);
		uint64_t offset = dh_live_read_word(in);
		out->is_global = dh_symbols_local(s, module, offset, accessed(race),
						  &out->global);
		out->global.base = race->address - out->global.offset;
	} else if (out->kind == DH_OBJECT_MAPPING) {
		out->base = dh_live_read_word(in);
		out->size = dh_live_read_word(in);
		out->file_offset = dh_live_read_word(in);
		out->file = text(in);
	} else {
		out->kind = DH_OBJECT_UNKNOWN;
	}
	if ((out->kind == DH_OBJECT_UNKNOWN || out->kind == DH_OBJECT_MAPPING) &&
	    dh_symbols_object(s, race->address, accessed(race), &out->global)) {
		out->kind = DH_OBJECT_UNKNOWN;
		out->is_global = true;
	}
}

/* ---- messages ---- */

bool dh_live_read_hello(struct dh_live_input *in, struct dh_live_hello *out)
{
	uint64_t version = dh_live_read_word(in);
	*out = (struct dh_live_hello){0};
	out->process = dh_live_read_word(in);
	out->flags = dh_live_read_word(in);
	out->log = text(in);
	out->json = text(in);
	out->suppressions = text(in);
	out->own_suppressions = text(in);
	out->baseline = text(in);
	out->engine = text(in);
	return !in->bad && version == DH_WIRE_VERSION;
}

void dh_live_free_hello(struct dh_live_hello *h)
{
	free(h->log);
	free(h->json);
	free(h->suppressions);
	free(h->own_suppressions);
	free(h->baseline);
	free(h->engine);
}

bool dh_live_read_module(struct dh_live_input *in, struct dh_symbols *s)
{
	uint64_t number = dh_live_read_word(in);
	char *path = text(in);
	struct dh_vec(struct dh_source_segment) segments = {0};
	for (uint64_t n = count(in); n > 0; n--) {
		struct dh_source_segment at;
		at.start = dh_live_read_word(in);
		at.end = dh_live_read_word(in);
		at.offset = dh_live_read_word(in);
		at.executable = dh_live_read_word(in) != 0;
		dh_vec_push(&segments, at);
	}
	bool good = !in->bad && number == dh_symbols_count(s);
	if (good)
		dh_symbols_add(s, path, segments.at, segments.len);
	dh_vec_free(&segments);
	free(path);
	return good;
}

bool dh_live_read_race(struct dh_live_input *in, struct dh_symbols *s,
		       struct dh_live_race *out)
{
	*out = (struct dh_live_race){0};
	out->serial = dh_live_read_word(in);
	out->grade = dh_live_read_word(in);
	out->address = dh_live_read_word(in);
	out->size = dh_live_read_word(in);
	access(in, s, &out->second);
	access(in, s, &out->first);
	uint64_t n = count(in);
	dh_vec_grow(&out->threads, n);
	for (uint64_t i = 0; i < n; i++)
		thread(in, s, &out->threads.at[i]);
	locks(in, s, &out->locks);
	out->locks_lost = dh_live_read_word(in);
	out->earlier_known = dh_live_read_word(in) != 0;
	if (out->earlier_known) {
		locks(in, s, &out->sure);
		locks(in, s, &out->maybe);
	}
	object(in, s, out);
	return !in->bad;
}

void dh_live_free_race(struct dh_live_race *r)
{
	for (size_t i = 0; i < r->threads.len; i++) {
		free(r->threads.at[i].name);
		dh_vec_free(&r->threads.at[i].created);
	}
	dh_vec_free(&r->threads);
	free_locks(&r->locks);
	free_locks(&r->sure);
	free_locks(&r->maybe);
	dh_vec_free(&r->second.stack);
	dh_vec_free(&r->first.stack);
	free(r->object.label);
	free(r->object.file);
	dh_vec_free(&r->object.allocated);
	dh_vec_free(&r->object.released);
}

bool dh_live_read_evidence(struct dh_live_input *in, struct dh_symbols *s,
			   struct dh_live_evidence *out)
{
	*out = (struct dh_live_evidence){0};
	uint64_t *const numbers[] = {
	    &out->serial,     &out->base,	&out->complete,	  &out->size,
	    &out->accesses,   &out->reads,	&out->writes,	  &out->atomics,
	    &out->threads,    &out->read_then_write, &out->unlocked,
	    &out->same_value, &out->other_steps, &out->first_site, &out->second_site,
	};
	for (size_t i = 0; i < DH_ARRAY_LEN(numbers); i++)
		*numbers[i] = dh_live_read_word(in);
	for (uint64_t n = count(in); n > 0; n--) {
		struct dh_live_held h = {.count = dh_live_read_word(in)};
		lock(in, s, &h.lock);
		dh_vec_push(&out->held, h);
	}
	for (uint64_t n = count(in); n > 0; n--) {
		struct dh_live_step step = {.count = dh_live_read_word(in)};
		step.by = (int64_t)dh_live_read_word(in);
		dh_vec_push(&out->steps, step);
	}
	return !in->bad;
}

void dh_live_free_evidence(struct dh_live_evidence *e)
{
	for (size_t i = 0; i < e->held.len; i++)
		free_lock(&e->held.at[i].lock);
	dh_vec_free(&e->held);
	dh_vec_free(&e->steps);
}

bool dh_live_read_end(struct dh_live_input *in, struct dh_live_end *out)
{
	*out = (struct dh_live_end){.told = true};
	out->distinct = dh_live_read_word(in);
	out->total = dh_live_read_word(in);
	for (uint64_t n = count(in); n > 0; n--) {
		struct dh_live_counter c;
		c.loss = dh_live_read_word(in) != 0;
		c.name = text(in);
		c.value = dh_live_read_word(in);
		dh_vec_push(&out->counters, c);
	}
	return !in->bad;
}

void dh_live_free_end(struct dh_live_end *e)
{
	for (size_t i = 0; i < e->counters.len; i++)
		free(e->counters.at[i].name);
	dh_vec_free(&e->counters);
	dh_vec_free(&e->rules);
	free(e->suggestions);
}
