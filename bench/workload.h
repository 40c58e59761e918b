/* SPDX-License-Identifier: MIT */
/*
 * Long traces for measurements, event by event: the same configuration gives the same
 * trace. Thread 0 writes the read-shared variables, forks all others, and joins them
 * at the end; in between threads take turns in short bursts. The traces are well
 * formed and, but for WORKLOAD_PRIVATE, free of races, so that what is measured is the
 * tracking and not the reporting.
 *
 * Not for concurrent use. Allocates at the start.
 */
#ifndef DH_BENCH_WORKLOAD_H
#define DH_BENCH_WORKLOAD_H

#include "event/event.h"

/* What a burst does: X(FIELD, option, usual weight, what it is). */
#define WORKLOAD_BURSTS(X)                                                               \
	X(local, "local", 50, "accesses to variables of the thread's own")               \
	X(locked, "locked", 25, "accesses under the lock of the variable")               \
	X(shared, "shared", 15, "reads of variables that nobody writes any more")        \
	X(phased, "phased", 8, "accesses to a part that changes hands at barriers")      \
	X(message, "message", 2, "a value handed on by a message")

enum workload_style {
	WORKLOAD_MIX,	  /* bursts by their weights */
	WORKLOAD_SHARED,  /* one lock per variable, any thread (SharedSpot) */
	WORKLOAD_LOCAL,	  /* the same, but each variable is one thread's (LocalSpot) */
	WORKLOAD_COMMON,  /* all locks, one variable (Figure 5.1 of TREE) */
	WORKLOAD_PRIVATE, /* the same with locks of each thread's own (Figure 5.3) */
	WORKLOAD_STYLES
};

struct workload_config {
	enum workload_style style;
	uint64_t events; /* at least; the last burst and the joins come on top */
	uint64_t seed;
	uint32_t threads; /* >= 2 */
	uint32_t vars;	/* >= 16 * threads for the mix, >= threads for spots; else > 0 */
	uint32_t locks; /* > 0; WORKLOAD_SHARED and _LOCAL have one per variable */
	uint32_t phase; /* bursts of each thread between two barriers; 0: none */
#define X(field, option, weight, what) uint32_t field;
	WORKLOAD_BURSTS(X)
#undef X
};

struct workload;
struct dh_names;

/* The usual mix: 16 threads, 64 Ki variables, 256 locks. */
struct workload_config workload_default(void);

/* NULL and a message in *why where the configuration makes no sense. */
struct workload *workload_new(const struct workload_config *config, const char **why);
void workload_free(struct workload *w);

/* The next event; false at the end. */
bool workload_next(struct workload *w, struct dh_event *ev);

/* Names for all that the events refer to, by the same numbers. The caller frees. */
struct dh_names *workload_names(const struct workload *w);

#endif
