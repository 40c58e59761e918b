/* SPDX-License-Identifier: MIT */
/* See survey.h. */
#include "record/survey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "report/safe.h"

void dh_survey_init(struct dh_survey *s)
{
	*s = (struct dh_survey){.symbols = dh_symbols_new()};
}

void dh_survey_free(struct dh_survey *s)
{
	for (size_t i = 0; i < s->thread_names.cap; i++)
		if (s->thread_names.used[i])
			free((void *)(uintptr_t)s->thread_names.slots[i].value);
	dh_map_free(&s->thread_names);
	dh_map_free(&s->company.seen);
	dh_map_free(&s->reached);
	dh_places_free(&s->places);
	dh_blocks_free(&s->blocks);
	dh_vec_free(&s->uses);
	dh_vec_free(&s->given);
	dh_symbols_free(s->symbols);
	free(s->folder);
}

/* ---- accesses ---- */

/* The granule matters from now on: the allocation of its block is part of the trace. */
static void note(struct dh_survey *s, uint32_t number, uint64_t address)
{
	struct dh_heap_block b;
	if (dh_blocks_find(&s->blocks, address, &b))
		dh_vec_push(&s->given, (struct dh_given){b.serial, address, number});
}

/* Bytes [from, to) of a granule. */
static void use(struct dh_survey *s, uint64_t address, uint32_t number, uint32_t thread,
		unsigned from, unsigned to, unsigned flags)
{
	if (!s->company.others && !s->all)
		return;
	dh_vec_grow(&s->uses, (size_t)number + 1);
	struct dh_use *u = &s->uses.at[number];
	if (!u->thread)
		u->thread = thread + 1;
	else if (u->thread != thread + 1)
		flags |= DH_USE_SHARED;
	bool mattered = dh_use_matters(s, u);
	u->flags |= (uint8_t)flags;
	u->cuts |= (uint8_t)((1u << from | 1u << to) & 0xfe);
	if (dh_use_matters(s, u) && !mattered)
		note(s, number, address & ~(uint64_t)7);
}

static void range(struct dh_survey *s, uint32_t thread, uint64_t at, uint64_t size,
		  unsigned flags)
{
	uint64_t end = at + size;
	while (at < end) {
		uint64_t stop = DH_MIN(end, (at | 7) + 1);
		unsigned from = at % 8;
		use(s, at, dh_places_number(&s->places, at), thread, from,
		    from + (unsigned)(stop - at), flags);
		at = stop;
	}
}

/* ---- other records ---- */

struct visit {
	struct dh_survey *survey;
	uint32_t thread;
};

static void use_whole(void *context, uint64_t address, uint32_t number)
{
	const struct visit *v = context;
	use(v->survey, address, number, v->thread, 0, 8, DH_USE_WRITTEN | DH_USE_PLAIN);
}

static void released(struct dh_survey *s, uint32_t thread, const struct dh_raw *r)
{
	struct visit v = {s, thread};
	if (dh_raw_place(r))
		dh_places_each(&s->places, r->object, r[1].object, use_whole, &v);
}

/* One range that a call can reach. Mostly the same as at the call before. */
static void reached(struct dh_survey *s, uint32_t thread, uint64_t at, uint64_t size)
{
	uint64_t hash = (size * 31 + thread + 1) * 0x9e3779b97f4a7c15;
	uint64_t *known = dh_map_put(&s->reached, dh_places_number(&s->places, at), NULL);
	bool again = *known == hash;
	*known = hash;
	for (uint64_t end = at + size, i = at & ~(uint64_t)7; i < end; i += 8) {
		uint32_t number = dh_places_number(&s->places, i);
		if (!again)
			use(s, i, number, thread, 0, 8, DH_USE_REACHED);
	}
}

static void reach(struct dh_survey *s, uint32_t thread, const struct dh_raw *r)
{
	for (uint64_t i = 0; i < r[1].head; i++)
		reached(s, thread, r[2 + i].head, r[2 + i].object);
}

/* A word of a payload, and on. 0 at its end. */
static uint64_t word(const char **at, const char *end)
{
	uint64_t w = 0;
	if (end - *at >= (ptrdiff_t)sizeof w)
		memcpy(&w, *at, sizeof w);
	*at += sizeof w;
	return w;
}

/* Is the file the one that the program had? Without a stamp it is taken to be. */
static bool is_same(struct dh_survey *s, const char *path)
{
	struct dh_raw now, then = s->stamp;
	s->stamp = (struct dh_raw){0};
	if (!then.head || (dh_survey_stamp(path, &now) && now.head == then.head &&
			   now.object == then.object))
		return true;
	fputs("deadheat: ", stderr);
	dh_safe_print(stderr, path, strlen(path), SIZE_MAX);
	fputs(" is not as it was recorded: no names from it\n", stderr);
	return false;
}

bool dh_survey_stamp(const char *path, struct dh_raw *out)
{
	struct stat st;
	if (stat(path, &st) < 0)
		return false;
	out->head =
	    (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	out->object = (uint64_t)st.st_size;
	return true;
}

static void settings(struct dh_survey *s, const struct dh_raw *r)
{
	s->all = r->object & DH_RING_ALL;
	free(s->folder);
	s->folder = strndup((const char *)(r + 2), r[1].object);
}

static void module(struct dh_survey *s, const struct dh_raw *r)
{
	const char *at = (const char *)(r + 2), *end = at + r[1].object;
	uint64_t length = word(&at, end);
	if (length > (uint64_t)(end - at))
		return;
	char *path = strndup(at, length);
	at += length;
	struct dh_vec(struct dh_source_segment) segments = {0};
	uint64_t count = word(&at, end);
	for (uint64_t i = 0; i < count && at < end; i++) {
		uint64_t w[4];
		for (unsigned k = 0; k < 4; k++)
			w[k] = word(&at, end);
		dh_vec_push(&segments,
			    (struct dh_source_segment){w[0], w[1], w[2], w[3] != 0});
	}
	dh_symbols_add(s->symbols, path, segments.at,
		       is_same(s, path) ? segments.len : 0);
	dh_vec_free(&segments);
	free(path);
}

static void name(struct dh_survey *s, uint32_t thread, const struct dh_raw *r)
{
	bool fresh;
	uint64_t *at = dh_map_put(&s->thread_names, thread, &fresh);
	if (fresh)
		*at = (uintptr_t)strndup((const char *)(r + 2), r[1].object);
}

static void look(struct dh_survey *s, uint32_t thread, const struct dh_raw *r)
{
	switch (dh_raw_kind(r)) {
	case DH_RAW_READ:
		range(s, thread, r->object, dh_raw_byte(r), DH_USE_PLAIN);
		break;
	case DH_RAW_WRITE:
		range(s, thread, r->object, dh_raw_byte(r),
		      DH_USE_PLAIN | DH_USE_WRITTEN);
		break;
	case DH_RAW_READ_RANGE:
		range(s, thread, r->object, r[1].object, DH_USE_PLAIN);
		break;
	case DH_RAW_WRITE_RANGE:
		range(s, thread, r->object, r[1].object, DH_USE_PLAIN | DH_USE_WRITTEN);
		break;
	case DH_RAW_ATOMIC:
	case DH_RAW_TOUCH:
		range(s, thread, r->object, dh_raw_byte(r) & DH_RAW_ATOMIC_SIZE,
		      DH_USE_ATOMIC |
			  (dh_raw_byte(r) & DH_RAW_ATOMIC_WRITES ? DH_USE_WRITTEN : 0));
		break;
	case DH_RAW_SYNC:
		dh_company_step(&s->company, thread, r);
		break;
	case DH_RAW_FREE:
		released(s, thread, r);
		break;
	case DH_RAW_ALLOC:
		dh_blocks_add(&s->blocks, r->object, r[1].object);
		dh_places_clear(&s->places, r->object, r[1].object);
		break;
	case DH_RAW_FRESH:
		dh_places_clear(&s->places, r->object, r[1].object);
		break;
	case DH_RAW_REACH:
		reach(s, thread, r);
		break;
	case DH_RAW_MODULE:
		module(s, r);
		break;
	case DH_RAW_NAME:
		name(s, thread, r);
		break;
	case DH_RAW_SETTINGS:
		settings(s, r);
		break;
	case DH_RAW_STAMP:
		s->stamp = (struct dh_raw){r->object, r[1].object};
		break;
	default:
		break;
	}
}

void dh_survey_look(struct dh_survey *s, uint32_t thread, const struct dh_raw *at,
		    size_t n)
{
	for (size_t i = 0; i < n; i += dh_raw_length(&at[i]))
		look(s, thread, &at[i]);
	s->records += n;
}

static int by_block(const void *a, const void *b)
{
	const struct dh_given *g = a, *h = b;
	return g->block != h->block ? (g->block > h->block) - (g->block < h->block)
	       : g->address != h->address
		   ? (g->address > h->address) - (g->address < h->address)
		   : (g->number > h->number) - (g->number < h->number);
}

void dh_survey_finish(struct dh_survey *s)
{
	if (s->given.len)
		qsort(s->given.at, s->given.len, sizeof *s->given.at, by_block);
}

size_t dh_survey_given(const struct dh_survey *s, uint64_t block)
{
	size_t from = 0, to = s->given.len;
	while (from < to) {
		size_t mid = from + (to - from) / 2;
		if (s->given.at[mid].block < block)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}
