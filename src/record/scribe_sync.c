/* SPDX-License-Identifier: MIT */
/* See scribe.h. Locks, messages, barriers, threads. */
#define _GNU_SOURCE
#include "record/scribe.h"

#include "runtime/observer.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- locks ---- */

static struct dh_scribe_lock *lock_of(struct dh_scribe *s, uint64_t address)
{
	uint32_t number = dh_places_number(&s->objects, address);
	bool fresh;
	uint64_t *at =
	    dh_map_put(&s->lock_index, (uint64_t)number * 8 + address % 8, &fresh);
	if (fresh) {
		*at = s->locks.len;
		dh_vec_push(&s->locks,
			    (struct dh_scribe_lock){
				.name = dh_naming_object(&s->naming, DH_NAME_LOCK, number,
							 address)});
	}
	return &s->locks.at[*at];
}

static struct dh_scribe_hold *reader_of(struct dh_scribe_lock *l, uint32_t thread)
{
	for (size_t i = 0; i < l->readers.len; i++)
		if (l->readers.at[i].thread == thread)
			return &l->readers.at[i];
	return NULL;
}

static void drop_reader(struct dh_scribe_lock *l, struct dh_scribe_hold *h)
{
	*h = dh_vec_pop(&l->readers);
}

/* As often as it was taken. */
static void release_all(struct dh_scribe *s, struct dh_scribe_lock *l,
			struct dh_scribe_hold *h, enum dh_op op)
{
	for (; h->depth; h->depth--)
		dh_scribe_event(s, h->thread, op, l->name, 0);
}

/* Unseen. */
static void give_back(struct dh_scribe *s, struct dh_scribe_lock *l,
		      struct dh_scribe_hold *h, enum dh_op op)
{
	s->mended++;
	release_all(s, l, h, op);
}

/* Whoever else has it in a way that shuts this thread out has given it back unseen. */
static void make_way(struct dh_scribe *s, struct dh_scribe_lock *l, bool write)
{
	if (l->writer.depth && l->writer.thread != s->thread)
		give_back(s, l, &l->writer, DH_RELEASE);
	for (size_t i = 0; write && i < l->readers.len;) {
		struct dh_scribe_hold *h = &l->readers.at[i];
		if (h->thread == s->thread) {
			i++;
			continue;
		}
		give_back(s, l, h, DH_READ_RELEASE);
		drop_reader(l, h);
	}
}

static void locked(struct dh_scribe *s, uint64_t address, bool write, uint64_t pc)
{
	struct dh_scribe_lock *l = lock_of(s, address);
	make_way(s, l, write);
	if (write) {
		l->writer.thread = s->thread;
		l->writer.depth++;
	} else {
		struct dh_scribe_hold *h = reader_of(l, s->thread);
		if (h)
			h->depth++;
		else
			dh_vec_push(&l->readers, (struct dh_scribe_hold){s->thread, 1});
	}
	dh_scribe_event(s, s->thread, write ? DH_ACQUIRE : DH_READ_ACQUIRE, l->name, pc);
	if (l->message)
		dh_scribe_event(s, s->thread, DH_RECEIVE, l->message - 1, pc);
}

static void unlocked(struct dh_scribe *s, uint64_t address, bool write, uint64_t pc)
{
	struct dh_scribe_lock *l = lock_of(s, address);
	struct dh_scribe_hold *h = write ? &l->writer : reader_of(l, s->thread);
	if (!h || !h->depth || h->thread != s->thread) {
		s->mended++;
		return;
	}
	h->depth--;
	if (!write && !h->depth)
		drop_reader(l, h);
	dh_scribe_event(s, s->thread, write ? DH_RELEASE : DH_READ_RELEASE, l->name, pc);
}

/* Is the message one of a thread that gives back what another holds? Then it goes to
 * those that get the lock from now on. */
static bool handed_over(struct dh_scribe *s, const struct dh_raw *r)
{
	uint32_t number = dh_places_number(&s->objects, r->object);
	uint64_t *at = dh_map_get(&s->lock_index, (uint64_t)number * 8 + r->object % 8);
	if (!at)
		return false;
	struct dh_scribe_lock *l = &s->locks.at[*at];
	l->message = dh_naming_object(&s->naming, DH_NAME_MESSAGE, number, r->object) + 1;
	dh_scribe_event(s, s->thread, DH_SEND, l->message - 1, dh_raw_place(r));
	if (l->writer.depth && l->writer.thread != s->thread)
		release_all(s, l, &l->writer, DH_RELEASE);
	return true;
}

static void hold_again(struct dh_scribe *s, const struct dh_scribe_hold *h, enum dh_op op,
		       uint32_t name)
{
	for (uint32_t i = 0; i < h->depth; i++)
		dh_scribe_event(s, h->thread, op, name, 0);
}

void dh_scribe_speak(struct dh_scribe *s)
{
	if (!s->mute)
		return;
	s->mute = false;
	for (size_t i = 0; i < s->locks.len; i++) {
		struct dh_scribe_lock *l = &s->locks.at[i];
		hold_again(s, &l->writer, DH_ACQUIRE, l->name);
		for (size_t k = 0; k < l->readers.len; k++)
			hold_again(s, &l->readers.at[k], DH_READ_ACQUIRE, l->name);
	}
	dh_scribe_calls_again(s);
}

/* The thread has ended: what it holds is free for who may have it then. */
static void let_go_of_all(struct dh_scribe *s)
{
	for (size_t i = 0; i < s->locks.len; i++) {
		struct dh_scribe_lock *l = &s->locks.at[i];
		struct dh_scribe_hold *h = reader_of(l, s->thread);
		if (h)
			give_back(s, l, h, DH_READ_RELEASE);
		if (h)
			drop_reader(l, h);
		if (l->writer.depth && l->writer.thread == s->thread)
			give_back(s, l, &l->writer, DH_RELEASE);
	}
}

/* ---- threads ---- */

static struct dh_scribe_thread *thread_of(struct dh_scribe *s, uint64_t id)
{
	dh_vec_grow(&s->threads, id + 1);
	return &s->threads.at[id];
}

static void joined(struct dh_scribe *s, uint64_t id)
{
	if (id == s->thread)
		return;
	dh_scribe_event(s, s->thread, DH_JOIN, dh_naming_thread(&s->naming, (uint32_t)id),
			0);
	thread_of(s, id)->joined = true;
}

/* This thread comes after all that any has done. */
static void meet_all(struct dh_scribe *s)
{
	char *text;
	if (asprintf(&text, "all#%u", ++s->meetings) < 0)
		abort();
	uint32_t name = dh_naming_text(&s->naming, DH_NAME_MESSAGE, text);
	free(text);
	for (uint32_t i = 0; i < s->threads.len; i++)
		if (i != s->thread && s->threads.at[i].running &&
		    !s->threads.at[i].joined)
			dh_scribe_event(s, i, DH_SEND, name, 0);
	dh_scribe_event(s, s->thread, DH_RECEIVE, name, 0);
}

/* ---- the rest ---- */

static void object(struct dh_scribe *s, const struct dh_raw *r, uint32_t number,
		   enum dh_op op)
{
	dh_scribe_event(s, s->thread, op,
			dh_naming_object(&s->naming, dh_op_kind(op), number, r->object),
			dh_raw_place(r));
}

void dh_scribe_object(struct dh_scribe *s, const struct dh_raw *r, enum dh_op op,
		      enum dh_op other)
{
	uint32_t number = dh_places_number(&s->objects, r->object);
	object(s, r, number, op);
	if (dh_naming_has(&s->naming, dh_op_kind(other), number, r->object))
		object(s, r, number, other);
}

static void barrier(struct dh_scribe *s, const struct dh_raw *r, enum dh_op op)
{
	object(s, r, dh_places_number(&s->objects, r->object), op);
}

static void of_threads(struct dh_scribe *s, const struct dh_raw *r)
{
	switch (dh_raw_byte(r)) {
	case DH_SEEN_START:
		thread_of(s, s->thread)->running = true;
		break;
	case DH_SEEN_END:
		let_go_of_all(s);
		thread_of(s, s->thread)->running = false;
		break;
	case DH_SEEN_FORK:
		dh_scribe_event(s, s->thread, DH_FORK,
				dh_naming_thread(&s->naming, (uint32_t)r->object),
				dh_raw_place(r));
		break;
	case DH_SEEN_JOIN:
		joined(s, (uint32_t)r->object);
		break;
	case DH_SEEN_ALL:
		meet_all(s);
		break;
	default:
		break;
	}
}

void dh_scribe_sync(struct dh_scribe *s, const struct dh_raw *r)
{
	unsigned what = dh_raw_byte(r);
	switch (what) {
	case DH_SEEN_LOCK:
	case DH_SEEN_READ_LOCK:
		locked(s, r->object, what == DH_SEEN_LOCK, dh_raw_place(r));
		break;
	case DH_SEEN_UNLOCK:
	case DH_SEEN_READ_UNLOCK:
		unlocked(s, r->object, what == DH_SEEN_UNLOCK, dh_raw_place(r));
		break;
	case DH_SEEN_SEND:
		if (handed_over(s, r))
			break;
		dh_scribe_object(s, r, DH_SEND, DH_VOLATILE_WRITE);
		break;
	case DH_SEEN_RECEIVE:
		dh_scribe_object(s, r, DH_RECEIVE, DH_VOLATILE_READ);
		break;
	case DH_SEEN_BARRIER_ENTER:
		barrier(s, r, DH_BARRIER_ENTER);
		break;
	case DH_SEEN_BARRIER_LEAVE:
		barrier(s, r, DH_BARRIER_LEAVE);
		break;
	default:
		of_threads(s, r);
		break;
	}
}
