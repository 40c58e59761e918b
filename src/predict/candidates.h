/* SPDX-License-Identifier: MIT */
/*
 * Which pairs of code locations of a window are worth a question: conflicting accesses of
 * different threads to one life of a variable, in groups of equal thread, location, kind
 * and locks held, so that whole groups are passed over at once. Not for concurrent use.
 * Allocates.
 */
#ifndef DH_PREDICT_CANDIDATES_H
#define DH_PREDICT_CANDIDATES_H

#include "predict/graph.h"

/* A code location. Events without one count as different locations, so these are
 * numbered by their place in the trace. */
typedef uint64_t dh_location;

#define DH_LOCATION_OF_EVENT ((uint64_t)1 << 63)

struct dh_group {
	uint32_t var, thread;
	dh_location location;
	bool write;
	uint32_t first, count; /* in `members`, in the order of the trace */
};

/* Two groups that conflict; low <= high are their locations. */
struct dh_pairing {
	dh_location low, high;
	uint32_t one, other;	/* groups; the one with the earlier first access is one */
	uint32_t first, second; /* their first accesses */
};

struct dh_candidates {
	struct dh_vec(struct dh_group) groups;
	struct dh_vec(uint32_t) members;	   /* events */
	struct dh_vec(struct dh_pairing) pairings; /* by locations, then by place */
	uint64_t protected_pairings; /* passed over because of a common lock */
	uint64_t ordered_pairings;   /* passed over because one comes before the other */
};

struct dh_candidates_config {
	bool protect; /* locks held at both accesses rule a pair out */
	bool merge;   /* of accesses in a row that stand and fall together one is enough
			 (not where calls with missing insides order accesses) */
	/* Must a be done for b to be next? Once true for an access it is so for later ones
	 * of its thread. Only asked where locks did not rule the pair out. */
	bool (*before)(void *context, uint32_t a, uint32_t b);
	void *context;
};

void dh_candidates_find(struct dh_candidates *c, const struct dh_graph *g,
			const struct dh_candidates_config *config);
void dh_candidates_free(struct dh_candidates *c);

#endif
