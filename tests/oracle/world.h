/* SPDX-License-Identifier: MIT */
/*
 * The world of a test trace: which event may come next. The generator asks it
 * before it adds an event, the reducer after it has taken some away, so that both
 * make well-formed traces only. Independent of the trace checker of the tools.
 *
 * Stricter than the trace format in what a definition would have to guess at:
 * nobody enters a barrier twice without leaving it, and a thread is joined only
 * when it holds no lock and is in no method.
 *
 * Allocates nothing.
 */
#ifndef DH_TESTS_WORLD_H
#define DH_TESTS_WORLD_H

#include "event/event.h"

#include <stdio.h>

enum {
	WORLD_THREADS = 64,
	WORLD_LOCKS = 16,
	WORLD_BARRIERS = 4,
	WORLD_METHODS = 4,
	WORLD_EVENTS = 512,
};

struct world_thread {
	bool begun; /* has had an event, or was forked */
	bool joined;
	uint8_t write_depth[WORLD_LOCKS];
	uint8_t read_depth[WORLD_LOCKS];
	bool inside[WORLD_BARRIERS];
	uint32_t locks; /* acquires not yet released, nested ones included */
	uint32_t method_count;
	uint8_t methods[8]; /* open calls, innermost last */
};

struct world {
	struct world_thread threads[WORLD_THREADS];
	bool episode[WORLD_BARRIERS]; /* someone has entered this barrier before */
};

/* A trace of a fixed greatest size. reach is what its method events point to. */
struct trace {
	uint32_t count;
	struct dh_event at[WORLD_EVENTS];
	uint32_t reach[4];
};

/* Whether ev may come next. If so the world moves on, and ev->nested is set. */
bool world_accepts(struct world *w, struct dh_event *ev);

/* Gives the events their indices, and says whether the trace is well formed. */
bool trace_check(struct trace *t);

/* Prints the trace in the text format. */
void trace_print(const struct trace *t, FILE *to);

#endif
