/* SPDX-License-Identifier: MIT */
/*
 * The relation CP, causally precedes (Smaragdakis and others), in a window: the smallest
 * one in which
 *
 *   (a) the release of a section comes before the acquire of a later section of the same
 *       lock if the two have conflicting accesses in them;
 *   (b) the same if some event of the first causally precedes some event of the second;
 *   (c) what happens before (strong) something that causally precedes an event causally
 *       precedes it too, and likewise what happens after the event.
 *
 * A pair of conflicting accesses may race if neither CP nor the weak relation (program
 * order, fork, join, messages, barriers, volatiles) orders it. Sections in read mode
 * count against those in write mode only.
 *
 * CP clocks like those of clocks.h; they are not before every event of the thread itself.
 * Read only after the making. Allocates.
 */
#ifndef DH_PREDICT_CAUSAL_H
#define DH_PREDICT_CAUSAL_H

#include "predict/clocks.h"

struct dh_causal {
	const struct dh_graph *graph;
	uint32_t *clock; /* by event, a word for each thread: how many of its events
			    causally precede the event */
};

/* strong: made with DH_CLOCK_LOCKS alone. */
struct dh_causal *dh_causal_new(const struct dh_graph *g, const struct dh_clocks *strong);
void dh_causal_free(struct dh_causal *c);

/* Does a causally precede b? */
DH_INLINE bool dh_causal_before(const struct dh_causal *c, uint32_t a, uint32_t b)
{
	const struct dh_graph *g = c->graph;
	return c->clock[(size_t)b * g->threads + g->thread[a]] > g->position[a];
}

#endif
