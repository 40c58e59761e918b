/* SPDX-License-Identifier: MIT */
/*
 * See drain.h. A stream is in one of two places: `near` or `waiting`, by the ticket that
 * comes next in it; or `idle`, at the end of what its thread has written so far.
 */
#define _GNU_SOURCE
#include "record/drain.h"

#include "base/map.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct stream {
	struct dh_chunk *chunk;
	uint32_t at;	/* records of the chunk that were given */
	uint32_t end;	/* and that are known to be there */
	uint32_t taken; /* given of the run that is told of by the next record */
	uint32_t thread;
	uint64_t ticket; /* the next, where it is waiting */
};

enum { NEAR = 64 };

struct dh_drain {
	struct dh_ring *ring;
	int fd;
	char path[64];
	dh_drain_sink *sink;
	void *context;
	struct dh_vec(struct stream *) idle;
	struct stream *near[NEAR]; /* waiting, by ticket % NEAR; NULL: none */
	struct dh_map waiting;	   /* the others: ticket -> stream */
	const struct stream
	    *running;	/* whose run is held back, to be given in one piece */
	uint64_t run;	/* its length */
	uint64_t next;	/* ticket */
	uint64_t limit; /* tickets taken when the last round began */
	uint64_t given;
};

/* ---- life ---- */

static void set_up(struct dh_ring *r, uint32_t filter)
{
	r->magic = DH_RING_MAGIC;
	r->version = DH_RING_VERSION;
	r->filter = filter;
}

struct dh_drain *dh_drain_new(uint32_t filter, dh_drain_sink *sink, void *context)
{
	int fd = memfd_create("deadheat-record", MFD_CLOEXEC);
	void *at = MAP_FAILED;
	if (fd >= 0 && ftruncate(fd, DH_RING_SIZE) == 0)
		at = mmap(NULL, DH_RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	struct dh_drain *d = dh_mem_alloc(sizeof *d);
	d->ring = at;
	d->fd = fd;
	d->sink = sink;
	d->context = context;
	set_up(d->ring, filter);
	snprintf(d->path, sizeof d->path, "/proc/%ld/fd/%d", (long)getpid(), fd);
	return d;
}

static void stream_free(struct stream *s)
{
	dh_mem_free(s, sizeof *s);
}

void dh_drain_free(struct dh_drain *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->idle.len; i++)
		stream_free(d->idle.at[i]);
	for (size_t i = 0; i < NEAR; i++)
		if (d->near[i])
			stream_free(d->near[i]);
	for (size_t i = 0; i < d->waiting.cap; i++)
		if (d->waiting.used[i])
			stream_free(
			    (struct stream *)(uintptr_t)d->waiting.slots[i].value);
	dh_vec_free(&d->idle);
	dh_map_free(&d->waiting);
	munmap(d->ring, DH_RING_SIZE);
	close(d->fd);
	dh_mem_free(d, sizeof *d);
}

const char *dh_drain_path(const struct dh_drain *d)
{
	return d->path;
}

const struct dh_ring *dh_drain_ring(const struct dh_drain *d)
{
	return d->ring;
}

/* ---- chunks ---- */

/* NULL for a number that cannot be: the program has written where it should not. */
static struct dh_chunk *chunk_at(const struct dh_drain *d, uint32_t number)
{
	return number >= 1 && number <= DH_RING_CHUNKS ? &d->ring->chunks[number - 1]
						       : NULL;
}

static void give_back(struct dh_drain *d, struct dh_chunk *c)
{
	uint32_t number = (uint32_t)(c - d->ring->chunks) + 1;
	uint64_t first = __atomic_load_n(&d->ring->free, __ATOMIC_RELAXED), now;
	do {
		__atomic_store_n(&c->next, (uint32_t)first, __ATOMIC_RELAXED);
		now = ((first >> 32) + 1) << 32 | number;
	} while (!__atomic_compare_exchange_n(&d->ring->free, &first, now, true,
					      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}

/* ---- streams ---- */

static void accept_streams(struct dh_drain *d)
{
	uint32_t number = __atomic_exchange_n(&d->ring->streams, 0, __ATOMIC_ACQ_REL);
	struct dh_chunk *c;
	while ((c = chunk_at(d, number))) {
		struct stream *s = dh_mem_alloc(sizeof *s);
		number = c->newer;
		s->chunk = c;
		s->thread = c->thread;
		dh_vec_push(&d->idle, s);
	}
}

/* Gives the run that was held back. */
static void give_held(struct dh_drain *d)
{
	struct dh_raw run = {dh_raw_head(DH_RAW_RUN, 0, 0), d->run};
	if (!d->run)
		return;
	d->sink(d->context, d->running->thread, &run, 1);
	d->given++;
	d->run = 0;
}

static void give(struct dh_drain *d, struct stream *s, const struct dh_raw *at, size_t n)
{
	give_held(d);
	d->sink(d->context, s->thread, at, n);
	d->given += n;
}

/* Gives what is left of a run that has n records so far. */
static void give_run(struct dh_drain *d, struct stream *s, uint32_t n)
{
	if (n <= s->taken)
		return;
	if (d->running != s)
		give_held(d);
	d->running = s;
	d->run += n - s->taken;
	s->taken = n;
}

/* Gives records up to the next ticket or the end of what is there. The first may tell of
 * a run that was given in part. */
static void give_some(struct dh_drain *d, struct stream *s)
{
	const struct dh_raw *all = s->chunk->at;
	uint32_t end = s->end;
	if (s->at < end && dh_raw_kind(&all[s->at]) == DH_RAW_RUN) {
		give_run(d, s, (uint32_t)all[s->at++].object);
		s->taken = 0;
	}
	uint32_t i = s->at;
	while (i < end && dh_raw_kind(&all[i]) != DH_RAW_TICKET)
		i += (uint32_t)dh_raw_length(&all[i]);
	i = DH_MIN(i, end);
	if (i > s->at)
		give(d, s, all + s->at, i - s->at);
	s->at = i;
}

enum state { IDLE, WAITING, ENDED };

/* Gives what is known to be there up to its next ticket. False where it has none. */
static bool reach_ticket(struct dh_drain *d, struct stream *s)
{
	if (s->at == s->end)
		return false;
	give_some(d, s);
	if (s->at == s->end)
		return false;
	const struct dh_raw *ticket = &s->chunk->at[s->at];
	give_run(d, s, (uint32_t)dh_raw_place(ticket));
	s->taken = 0;
	s->ticket = ticket->object;
	return true;
}

/* On from where it is, up to its next ticket. */
static enum state advance(struct dh_drain *d, struct stream *s)
{
	while (!reach_ticket(d, s)) {
		uint32_t next = __atomic_load_n(&s->chunk->next, __ATOMIC_ACQUIRE);
		bool closed = __atomic_load_n(&s->chunk->closed, __ATOMIC_ACQUIRE);
		uint64_t written = __atomic_load_n(&s->chunk->written, __ATOMIC_ACQUIRE);
		s->end = DH_MIN((uint32_t)written, (uint32_t)DH_RING_RECORDS);
		if (s->at < s->end)
			continue;
		give_run(d, s, (uint32_t)(written >> 32));
		struct dh_chunk *old = s->chunk, *c = chunk_at(d, next);
		if (!c && !closed)
			return IDLE;
		s->chunk = c;
		s->at = s->end = 0;
		give_back(d, old);
		if (!c)
			return ENDED;
	}
	return WAITING;
}

static void wait_for_turn(struct dh_drain *d, struct stream *s)
{
	struct stream **near = &d->near[s->ticket % NEAR];
	if (!*near)
		*near = s;
	else
		*dh_map_put(&d->waiting, s->ticket, NULL) = (uintptr_t)s;
}

/* After it was advanced: where it belongs now. */
static void put(struct dh_drain *d, struct stream *s, enum state state)
{
	if (state == WAITING && s->ticket >= d->next) {
		wait_for_turn(d, s);
	} else if (state == IDLE) {
		dh_vec_push(&d->idle, s);
	} else { /* ended; or tickets that go back: not our writer's */
		give_held(d);
		stream_free(s);
	}
}

static void advance_idle(struct dh_drain *d)
{
	size_t n = d->idle.len;
	struct stream **all = d->idle.at;
	size_t cap = d->idle.cap;
	d->idle.at = NULL;
	d->idle.len = d->idle.cap = 0;
	for (size_t i = 0; i < n; i++)
		put(d, all[i], advance(d, all[i]));
	dh_mem_free(all, cap * sizeof *all);
}

/* The stream whose turn it is, taken out of the waiting ones; NULL where it has not come
 * yet. */
static struct stream *turn(struct dh_drain *d)
{
	struct stream **near = &d->near[d->next % NEAR], *s = *near;
	if (s && s->ticket == d->next) {
		*near = NULL;
		return s;
	}
	uint64_t *at = d->waiting.len ? dh_map_get(&d->waiting, d->next) : NULL;
	s = at ? (struct stream *)(uintptr_t)*at : NULL;
	if (s)
		dh_map_remove(&d->waiting, d->next);
	return s;
}

static void merge(struct dh_drain *d, uint64_t limit)
{
	struct stream *s;
	while (d->next < limit && (s = turn(d))) {
		enum state state;
		do {
			s->at++; /* the ticket itself */
			d->next++;
			state = advance(d, s);
		} while (state == WAITING && s->ticket == d->next && d->next < limit);
		put(d, s, state);
	}
}

uint64_t dh_drain_some(struct dh_drain *d)
{
	uint64_t before = d->given;
	uint64_t now = __atomic_load_n(&d->ring->ticket, __ATOMIC_ACQUIRE);
	__atomic_fetch_add(&d->ring->beat, 1, __ATOMIC_RELAXED);
	accept_streams(d);
	advance_idle(d);
	merge(d, d->limit);
	give_held(d);
	d->limit = now;
	return d->given - before;
}

/* ---- the end ---- */

/* The next ticket that is there. */
static bool skip_gap(struct dh_drain *d)
{
	uint64_t least = UINT64_MAX;
	for (size_t i = 0; i < NEAR; i++)
		if (d->near[i])
			least = DH_MIN(least, d->near[i]->ticket);
	for (size_t i = 0; i < d->waiting.cap; i++)
		if (d->waiting.used[i])
			least = DH_MIN(least, d->waiting.slots[i].key);
	if (least == UINT64_MAX)
		return false;
	d->next = least;
	return true;
}

void dh_drain_stop(struct dh_drain *d)
{
	__atomic_store_n(&d->ring->over, 1, __ATOMIC_RELAXED);
}

void dh_drain_rest(struct dh_drain *d)
{
	dh_drain_stop(d);
	do {
		accept_streams(d);
		advance_idle(d);
		merge(d, UINT64_MAX);
	} while (skip_gap(d));
	give_held(d);
}
