/* SPDX-License-Identifier: MIT */
/*
 * Order between the events of a window as vector clocks: the clock of an event has, for
 * each thread, how many of its events come before that event. Which rules make the order
 * is chosen at the making:
 *
 *   always               program order, fork, join, messages, barriers, and a volatile
 *                        read after earlier volatile writes
 *   DH_CLOCK_LOCKS       a release before later acquires that it excludes
 *   DH_CLOCK_VOLATILE    volatile writes keep their place among all volatile accesses
 *   DH_CLOCK_ALLOC       an allocation before the accesses to what it made
 *   DH_CLOCK_METHODS     calls whose inside is missing, against each other and against
 *                        plain accesses, where they can reach the same variable
 *   DH_CLOCK_FORCED      a forced read after its source
 *   DH_CLOCK_SOURCES     every read after its source
 *
 * All of these orders agree with the trace, so one pass makes them. Events that learn
 * nothing share the row of the event before them. Read only after the making. Allocates.
 */
#ifndef DH_PREDICT_CLOCKS_H
#define DH_PREDICT_CLOCKS_H

#include "predict/graph.h"

enum {
	DH_CLOCK_LOCKS = 1,
	DH_CLOCK_VOLATILE = 2,
	DH_CLOCK_ALLOC = 4,
	DH_CLOCK_METHODS = 8,
	DH_CLOCK_FORCED = 16,
	DH_CLOCK_SOURCES = 32,
};

struct dh_clocks {
	const struct dh_graph *graph;
	uint32_t *row;	 /* by event */
	uint32_t *ready; /* by event: the row without the event's own source: what must be
			    done for the event to be next, whatever it reads */
	struct dh_vec(uint32_t) rows; /* of `threads` words each */
};

struct dh_clocks *dh_clocks_new(const struct dh_graph *g, unsigned rules);
void dh_clocks_free(struct dh_clocks *c);

DH_INLINE const uint32_t *dh_clocks_row(const struct dh_clocks *c, uint32_t row)
{
	return c->rows.at + (size_t)row * c->graph->threads;
}

/* How many events of the thread come before the event; of its own thread, itself too. */
DH_INLINE uint32_t dh_clocks_get(const struct dh_clocks *c, uint32_t event,
				 uint32_t thread)
{
	if (c->graph->thread[event] == thread)
		return c->graph->position[event] + 1;
	return dh_clocks_row(c, c->row[event])[thread];
}

/* How many events of the thread must be done for the event to be next. */
DH_INLINE uint32_t dh_clocks_ready(const struct dh_clocks *c, uint32_t event,
				   uint32_t thread)
{
	if (c->graph->thread[event] == thread)
		return c->graph->position[event];
	return dh_clocks_row(c, c->ready[event])[thread];
}

/* Is a before b? */
DH_INLINE bool dh_clocks_before(const struct dh_clocks *c, uint32_t a, uint32_t b)
{
	return dh_clocks_get(c, b, c->graph->thread[a]) > c->graph->position[a];
}

/* May both be next at once, as far as this order goes? */
DH_INLINE bool dh_clocks_unordered(const struct dh_clocks *c, uint32_t a, uint32_t b)
{
	const struct dh_graph *g = c->graph;
	return dh_clocks_ready(c, b, g->thread[a]) <= g->position[a] &&
	       dh_clocks_ready(c, a, g->thread[b]) <= g->position[b];
}

/* Raises each entry of a clock to that of the event, the event itself included. */
void dh_clocks_raise(const struct dh_clocks *c, uint32_t *clock, uint32_t event);

#endif
