/* SPDX-License-Identifier: MIT */
/*
 * See scribe.h. Calls of functions that are not seen: `mb` with the variables that they
 * can reach, `me`.
 *
 * Of a range that is reached the variables are listed that the program accesses itself,
 * and every so often one that stands for the range as such, so that two calls that reach
 * the same object have a variable in common. Small ranges, whose bounds may be a guess,
 * are listed whole.
 */
#include "record/scribe.h"

#include <string.h>

enum { SMALL = 256, EVERY = 512 };

void dh_scribe_calls_free(struct dh_scribe_thread *t)
{
	for (size_t i = 0; i < t->calls.len; i++)
		dh_vec_free(&t->calls.at[i].reach);
	dh_vec_free(&t->calls);
	dh_vec_free(&t->reach);
}

static struct dh_scribe_thread *self(struct dh_scribe *s)
{
	dh_vec_grow(&s->threads, (size_t)s->thread + 1);
	return &s->threads.at[s->thread];
}

void dh_scribe_reach(struct dh_scribe *s, const struct dh_raw *r)
{
	struct dh_scribe_thread *t = self(s);
	for (uint64_t i = 0; i < r[1].head; i++) {
		uint64_t at = r[2 + i].head, end = at + r[2 + i].object;
		dh_places_number(&s->places, at); /* as the survey does */
		for (at &= ~(uint64_t)7; at < end; at += 8)
			dh_places_number(&s->places, at);
		dh_vec_push(&t->reach, r[2 + i]);
	}
}

/* ---- variables ---- */

static void add_pieces(struct dh_scribe *s, struct dh_scribe_call *c, uint64_t granule,
		       uint32_t number, const struct dh_use *u)
{
	for (unsigned at = 0; at < 8; at = dh_use_piece_end(u, at))
		dh_vec_push(&c->reach, dh_naming_object(&s->naming, DH_NAME_VAR, number,
							granule + at));
}

static void add_range(struct dh_scribe *s, struct dh_scribe_call *c, uint64_t start,
		      uint64_t size)
{
	uint64_t first = start & ~(uint64_t)7, end = start + size;
	for (uint64_t at = first; at < end; at += 8) {
		uint32_t number = *dh_places_slot(&s->places, at);
		const struct dh_use *u = dh_scribe_use(s, number);
		bool stands = size <= SMALL || at == first || at % EVERY == 0;
		if ((u->flags & DH_USE_PLAIN || stands) && dh_use_matters(s->survey, u))
			add_pieces(s, c, at, number, u);
	}
}

static void write_begin(struct dh_scribe *s, uint32_t thread,
			const struct dh_scribe_call *c, uint64_t pc)
{
	if (s->mute || s->status || s->threads.at[thread].joined)
		return;
	struct dh_event ev = {
	    .index = s->events,
	    .thread = dh_naming_thread(&s->naming, thread),
	    .target = c->name,
	    .site = dh_naming_site(&s->naming, pc),
	    .op = DH_METHOD_BEGIN,
	    .reach = c->reach.at,
	    .reach_count = (uint32_t)c->reach.len,
	};
	s->status = s->sink(s->context, &ev);
	s->events++;
}

/* ---- calls ---- */

void dh_scribe_call(struct dh_scribe *s, const struct dh_raw *r)
{
	struct dh_scribe_thread *t = self(s);
	struct dh_scribe_call c = {0};
	char name[DH_RING_PAYLOAD_MAX + 1];
	size_t len = DH_MIN(r[1].object, (uint64_t)DH_RING_PAYLOAD_MAX);
	memcpy(name, r + 2, len);
	name[len] = '\0';
	c.name = dh_naming_text(&s->naming, DH_NAME_METHOD, name[0] ? name : "unknown");
	for (size_t i = 0; i < t->reach.len; i++)
		add_range(s, &c, t->reach.at[i].head, t->reach.at[i].object);
	t->reach.len = 0;
	write_begin(s, s->thread, &c, dh_raw_place(r));
	dh_vec_push(&t->calls, c);
}

void dh_scribe_return(struct dh_scribe *s, const struct dh_raw *r)
{
	struct dh_scribe_thread *t = self(s);
	if (!t->calls.len) {
		s->mended++;
		return;
	}
	struct dh_scribe_call c = dh_vec_pop(&t->calls);
	dh_scribe_event(s, s->thread, DH_METHOD_END, c.name, dh_raw_place(r));
	dh_vec_free(&c.reach);
}

void dh_scribe_calls_again(struct dh_scribe *s)
{
	for (uint32_t i = 0; i < s->threads.len; i++)
		for (size_t k = 0; k < s->threads.at[i].calls.len; k++)
			write_begin(s, i, &s->threads.at[i].calls.at[k], 0);
}
