/* SPDX-License-Identifier: MIT */
/*
 * The stream: takes events one by one, keeps threads, order and locksets, and
 * hands each event to the engines, reads and writes through the filter if there
 * is one. Made by the front ends (analyze, tests; later the runtime).
 *
 * Events must be well formed (trace/check.h sees to that for files): locks are
 * acquired and released properly, nested acquires left out, a thread's events lie
 * between its fork and its join.
 *
 * Not for concurrent use, but for the functions that say so. Allocates.
 */
#ifndef DH_EVENT_STREAM_H
#define DH_EVENT_STREAM_H

#include "base/sparse.h"
#include "base/vec.h"
#include "event/engine.h"
#include "event/filter.h"

struct dh_stream_config {
	/* Called for every race that an engine states. */
	void (*on_race)(void *context, struct dh_engine *e, const struct dh_race *race);
	/* The same for what adds to the last one on the same variable. May be NULL. */
	void (*on_further)(void *context, struct dh_engine *e, const struct dh_race *race);
	/* Called by the engine `print`, for every event that it sees. */
	void (*on_event)(void *context, const struct dh_event *ev);
	void *context;
	uint32_t clock_limit; /* bounds weak clocks; 0: the least that an engine asks for */
	bool object_level;    /* engines that can start at object level and refine */
	uint32_t repeats_most; /* reports that are remembered, to know repeats by; 0: all.
				  Beyond that all are forgotten, and may come again */
};

struct dh_stream {
	struct dh_stream_config config;
	struct dh_order order;
	struct dh_lockset_table *locksets;
	struct dh_sparse threads; /* of struct dh_thread, by id, from first seen to end */
	struct dh_vec(struct dh_engine *) engines;
	struct dh_vec(uint32_t) objects; /* variable -> object + 1; 0: its own */
	struct dh_filter *filter;        /* or NULL */
	unsigned needs;                  /* union over engines and filter */
	bool shared;                     /* dh_stream_share() */
	bool episode_closed; /* this bleave is the first of its episode; see order.h */
	uint64_t events;
};

struct dh_stream *dh_stream_new(const struct dh_stream_config *config);

/* Ends the run: resets all cells, finishes engines and filter, frees everything. */
void dh_stream_free(struct dh_stream *s);

/* Engines and filter are added before the first event. Returns the instance. */
struct dh_engine *dh_stream_add(struct dh_stream *s, const struct dh_engine_ops *ops);
struct dh_filter *dh_stream_set_filter(struct dh_stream *s, const struct dh_filter_ops *ops);

/* Puts a variable into an object (a group with a number of the caller's). */
void dh_stream_set_object(struct dh_stream *s, uint32_t var, uint32_t object);

/* The next event. */
void dh_stream_feed(struct dh_stream *s, const struct dh_event *ev);

/* From now on the two functions that follow may be used by several threads at once, each
 * for events of its own; all others by one that is alone. True where the stream can: it
 * has one engine, which can (dh_engine_shared), keeps no order for it, and has no filter.
 * Before the first event. */
bool dh_stream_share(struct dh_stream *s);

/* The next event of its thread: a read or write, while no other thread accesses the
 * variable; a step of synchronisation. Where they cannot be done so, as the thread, the
 * variable or the object is new, nothing is done and the answer is false. They are not
 * counted in `events`. */
bool dh_stream_access_shared(struct dh_stream *s, const struct dh_event *ev);
bool dh_stream_sync_shared(struct dh_stream *s, const struct dh_event *ev);

/* The variable `to`, which was never accessed or has been made fresh, begins with the
 * history of `from`. Every engine must have the hook. */
void dh_stream_copy(struct dh_stream *s, uint32_t to, uint32_t from);

/* The number of a lock that nobody holds, a message or a volatile is to be used for
 * another one: nothing is ordered by what was done with it. */
void dh_stream_forget(struct dh_stream *s, enum dh_name_kind kind, uint32_t number);

/* The thread, whose last event was a send, does nothing any more; it may still be joined,
 * unless `alone`: then it is gone, but for a filter. Nothing where it is already. */
void dh_stream_end(struct dh_stream *s, uint32_t id, bool alone);

/* For filters: hands an access to the engines now. */
void dh_stream_forward(struct dh_stream *s, struct dh_thread *t, const struct dh_access *a);

/* The thread of an id that has had an event or a fork, and is not gone; else NULL. */
struct dh_thread *dh_stream_thread(const struct dh_stream *s, uint32_t id);

/* The value of a counter of an engine or filter; 0 where the name is unknown. */
uint64_t dh_counter_value(const void *owner, const struct dh_counter *list,
			  const char *name);

#endif
