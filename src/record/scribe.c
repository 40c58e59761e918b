/* SPDX-License-Identifier: MIT */
/* See scribe.h. Memory: accesses, atomics, the heap. */
#define _GNU_SOURCE
#include "record/scribe.h"

#include "runtime/observer.h"

#include <stdio.h>
#include <stdlib.h>

void dh_scribe_init(struct dh_scribe *s, struct dh_survey *survey, struct dh_names *names,
		    dh_scribe_sink *sink, void *context)
{
	*s = (struct dh_scribe){
	    .survey = survey, .names = names, .sink = sink, .context = context};
	dh_naming_init(&s->naming, names, survey);
}

void dh_scribe_free(struct dh_scribe *s)
{
	for (size_t i = 0; i < s->locks.len; i++)
		dh_vec_free(&s->locks.at[i].readers);
	for (size_t i = 0; i < s->threads.len; i++)
		dh_scribe_calls_free(&s->threads.at[i]);
	dh_vec_free(&s->locks);
	dh_vec_free(&s->threads);
	dh_map_free(&s->lock_index);
	dh_map_free(&s->guards);
	dh_places_free(&s->places);
	dh_places_free(&s->objects);
	dh_map_free(&s->company.seen);
	dh_naming_free(&s->naming);
}

void dh_scribe_event(struct dh_scribe *s, uint32_t thread, enum dh_op op, uint32_t target,
		     uint64_t pc)
{
	dh_vec_grow(&s->threads, (size_t)thread + 1);
	if (s->mute || s->status)
		return;
	if (s->threads.at[thread].joined) {
		s->mended++;
		return;
	}
	struct dh_event ev = {
	    .index = s->events,
	    .thread = dh_naming_thread(&s->naming, thread),
	    .target = target,
	    .site = dh_naming_site(&s->naming, pc),
	    .op = (uint8_t)op,
	};
	s->status = s->sink(s->context, &ev);
	s->events++;
}

/* ---- accesses ---- */

bool dh_scribe_writes(const struct dh_scribe *s)
{
	return !s->mute && (s->company.others || s->survey->all);
}

const struct dh_use *dh_scribe_use(const struct dh_scribe *s, uint32_t number)
{
	static const struct dh_use none;
	return number < s->survey->uses.len ? &s->survey->uses.at[number] : &none;
}

/* An event for each piece of bytes [from, to) of a granule. */
static void pieces(struct dh_scribe *s, uint64_t granule, uint32_t number, unsigned from,
		   unsigned to, enum dh_op op, uint64_t pc)
{
	const struct dh_use *u = dh_scribe_use(s, number);
	for (unsigned at = from; at < to; at = dh_use_piece_end(u, at)) {
		uint32_t name =
		    dh_naming_object(&s->naming, DH_NAME_VAR, number, granule + at);
		dh_scribe_event(s, s->thread, op, name, pc);
	}
}

/* Calls it, unless it is NULL, for each granule of the range that matters. */
typedef void part_fn(struct dh_scribe *s, uint64_t granule, uint32_t number,
		     unsigned from, unsigned to, enum dh_op op, uint64_t pc);

static void range(struct dh_scribe *s, uint64_t at, uint64_t size, enum dh_op op,
		  uint64_t pc, part_fn *f)
{
	uint64_t end = at + size;
	while (at < end) {
		uint64_t stop = DH_MIN(end, (at | 7) + 1), granule = at & ~(uint64_t)7;
		uint32_t number = dh_places_number(&s->places, at);
		if (f && dh_scribe_writes(s) &&
		    dh_use_matters(s->survey, dh_scribe_use(s, number)))
			f(s, granule, number, (unsigned)(at - granule),
			  (unsigned)(stop - granule), op, pc);
		at = stop;
	}
}

/* ---- atomics ---- */

static uint32_t guard_of(struct dh_scribe *s, uint32_t number, uint64_t granule)
{
	bool fresh;
	uint64_t *at = dh_map_put(&s->guards, number, &fresh);
	char *text;
	if (!fresh)
		return (uint32_t)*at;
	uint32_t name = dh_naming_object(&s->naming, DH_NAME_VAR, number, granule);
	if (asprintf(&text, "atomic@%s", dh_names_text(s->names, DH_NAME_VAR, name)) < 0)
		abort();
	*at = dh_naming_text(&s->naming, DH_NAME_LOCK, text);
	free(text);
	return (uint32_t)*at;
}

static void guarded(struct dh_scribe *s, uint64_t granule, uint32_t number, unsigned from,
		    unsigned to, enum dh_op op, uint64_t pc)
{
	if (!(dh_scribe_use(s, number)->flags & (DH_USE_PLAIN | DH_USE_REACHED)))
		return;
	uint32_t guard = guard_of(s, number, granule);
	bool write = op == DH_WRITE;
	dh_scribe_event(s, s->thread, write ? DH_ACQUIRE : DH_READ_ACQUIRE, guard, pc);
	pieces(s, granule, number, from, to, op, pc);
	dh_scribe_event(s, s->thread, write ? DH_RELEASE : DH_READ_RELEASE, guard, pc);
}

/* The access itself. */
static void touch(struct dh_scribe *s, const struct dh_raw *r, part_fn *f)
{
	unsigned byte = dh_raw_byte(r);
	range(s, r->object, byte & DH_RAW_ATOMIC_SIZE,
	      byte & DH_RAW_ATOMIC_WRITES ? DH_WRITE : DH_READ, dh_raw_place(r), f);
}

static void atomic(struct dh_scribe *s, const struct dh_raw *r)
{
	unsigned what = (dh_raw_byte(r) >> DH_RAW_ATOMIC_SHIFT) & 3;
	bool writing = what == DH_ATOMIC_STORING || what == DH_ATOMIC_MODIFYING;
	touch(s, r, what != DH_ATOMIC_MODIFIED ? guarded : NULL);
	if (!dh_scribe_writes(s))
		return;
	uint32_t number = dh_places_number(&s->objects, r->object);
	dh_scribe_event(s, s->thread, writing ? DH_VOLATILE_WRITE : DH_VOLATILE_READ,
			dh_naming_object(&s->naming, DH_NAME_VOLATILE, number, r->object),
			dh_raw_place(r));
}

/* ---- the heap ---- */

static void given(struct dh_scribe *s, const struct dh_raw *r)
{
	dh_blocks_add(&s->naming.blocks, r->object, r[1].object);
	dh_places_clear(&s->places, r->object, r[1].object);
	dh_places_clear(&s->objects, r->object, r[1].object);
	uint64_t serial = s->naming.blocks.count;
	if (!dh_scribe_writes(s) || s->thread == DH_RING_NOBODY)
		return;
	for (size_t i = dh_survey_given(s->survey, serial); i < s->survey->given.len;
	     i++) {
		const struct dh_given *g = &s->survey->given.at[i];
		if (g->block != serial)
			break;
		pieces(s, g->address, g->number, 0, 8, DH_ALLOC, 0);
	}
}

struct visit {
	struct dh_scribe *scribe;
	uint64_t pc;
};

static void end_of(void *context, uint64_t address, uint32_t number)
{
	const struct visit *v = context;
	if (dh_use_matters(v->scribe->survey, dh_scribe_use(v->scribe, number)))
		pieces(v->scribe, address, number, 0, 8, DH_WRITE, v->pc);
}

static void released(struct dh_scribe *s, const struct dh_raw *r)
{
	struct visit v = {s, dh_raw_place(r)};
	if (v.pc && dh_scribe_writes(s))
		dh_places_each(&s->places, r->object, r[1].object, end_of, &v);
}

/* ---- records ---- */

static void by_thread(struct dh_scribe *s, const struct dh_raw *r)
{
	enum dh_raw_kind kind = dh_raw_kind(r);
	switch (kind) {
	case DH_RAW_READ:
	case DH_RAW_WRITE:
		range(s, r->object, dh_raw_byte(r),
		      kind == DH_RAW_WRITE ? DH_WRITE : DH_READ, dh_raw_place(r), pieces);
		break;
	case DH_RAW_READ_RANGE:
	case DH_RAW_WRITE_RANGE:
		range(s, r->object, r[1].object,
		      kind == DH_RAW_WRITE_RANGE ? DH_WRITE : DH_READ, dh_raw_place(r),
		      pieces);
		break;
	case DH_RAW_ATOMIC:
		atomic(s, r);
		break;
	case DH_RAW_TOUCH:
		touch(s, r, guarded);
		break;
	case DH_RAW_SYNC:
		dh_company_step(&s->company, s->thread, r);
		dh_scribe_sync(s, r);
		break;
	case DH_RAW_FREE:
		released(s, r);
		break;
	case DH_RAW_REACH:
		dh_scribe_reach(s, r);
		break;
	case DH_RAW_CALL:
		dh_scribe_call(s, r);
		break;
	case DH_RAW_RETURN:
		dh_scribe_return(s, r);
		break;
	default:
		break;
	}
}

void dh_scribe_take(struct dh_scribe *s, const struct dh_raw *r)
{
	enum dh_raw_kind kind = dh_raw_kind(r);
	if (kind == DH_RAW_THREAD)
		s->thread = (uint32_t)r->object;
	else if (kind == DH_RAW_ALLOC)
		given(s, r);
	else if (kind == DH_RAW_FRESH)
		dh_places_clear(&s->places, r->object, r[1].object);
	else if (s->thread != DH_RING_NOBODY)
		by_thread(s, r);
}
