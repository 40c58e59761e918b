/* SPDX-License-Identifier: MIT */
/*
 * A window taken apart: its threads, variables, locks and the writes that its reads read
 * from, by dense numbers of its own. Made once for each window; the clocks (clocks.h),
 * the refuter, the encoder and the candidates all ask it. The checker does not.
 *
 * Glossary
 *   event    a number from 0 in the window
 *   position the place of an event among those of its thread, from 0
 *   cut      how many events of each thread are done: a set of events that has with each
 *            event all earlier ones of its thread
 *   variable one life of a variable of the trace
 *   section  from an outermost acquire of a lock to its release, in one mode. It may
 *            have begun before the window, or not end in it
 *   source   the write that a read reads from in the trace
 *   forced   a read that no other write of the window could serve: where it is, its
 *            source is before it
 *
 * Read only after the making. Allocates.
 */
#ifndef DH_PREDICT_GRAPH_H
#define DH_PREDICT_GRAPH_H

#include "lockset/lockset.h"
#include "predict/window.h"

#define DH_NONE UINT32_MAX

/* Sources that are no events of the window. */
#define DH_SOURCE_START (UINT32_MAX - 1) /* what was there when the window began */
#define DH_SOURCE_INITIAL                                                                \
	(UINT32_MAX - 2) /* nothing was ever written before the read                     \
			  */

struct dh_section {
	uint32_t lock, thread;
	uint32_t open;	/* events of the thread up to the acquire, it included; 0 where it
			   lies before the window */
	uint32_t close; /* the same for the release; DH_NONE where it has none */
	uint32_t rank;	/* the acquire's event + 1; 0 before the window */
	bool write;
};

/* The sections of one thread, lock and mode, in their order. */
struct dh_chain {
	uint32_t lock, thread;
	uint32_t first, count; /* in `sections` */
	bool write;
};

struct dh_graph_var {
	uint32_t first_write, writes;	 /* in `writes`, in the order of the trace */
	uint32_t first_access, accesses; /* in `accesses` */
	bool start_known;		 /* something was written before the window, */
	bool start_has_value;		 /* with this value */
	int64_t start_value;
	uint64_t start; /* the write's index in the trace */
};

struct dh_graph {
	const struct dh_window *window;
	uint32_t events, threads, vars, locks;
	uint32_t *thread;   /* by event: its thread's number */
	uint32_t *position; /* by event */
	uint32_t *first;    /* by thread: where its events begin in `order`; one more */
	uint32_t *order;    /* events by thread and position */
	uint32_t *var;	    /* by event: the variable of an access; else DH_NONE */
	uint32_t *source;   /* by event: of a read; else DH_NONE */
	bool *by_value;	    /* by event: a read that any write of its value may serve */
	bool *forced;	    /* by event */
	bool all_forced;    /* every read is, that reads from a write of the window */
	dh_lockset *held;   /* by event: locks held by its thread in any mode, */
	dh_lockset *held_write; /* and in write mode, at an access */
	struct dh_lockset_table *locksets;
	struct dh_graph_var *var_at;
	uint32_t *writes, *accesses;
	struct dh_vec(struct dh_section) sections; /* by lock, thread, mode, position */
	struct dh_vec(struct dh_chain) chains;
	uint32_t *lock_chain;	     /* by lock: its first chain; one more */
	uint32_t *section_thread;    /* sections by thread and place of the acquire */
	uint32_t *section_first;     /* by thread: where its begin in that; one more */
	struct dh_map thread_number; /* of the trace -> of the window */
	struct dh_map lock_number;
};

struct dh_graph *dh_graph_new(const struct dh_window *w);
void dh_graph_free(struct dh_graph *g);

DH_INLINE const struct dh_step *dh_graph_step(const struct dh_graph *g, uint32_t event)
{
	return &g->window->steps.at[event];
}

DH_INLINE uint32_t dh_graph_event(const struct dh_graph *g, uint32_t thread,
				  uint32_t position)
{
	return g->order[g->first[thread] + position];
}

DH_INLINE uint32_t dh_graph_length(const struct dh_graph *g, uint32_t thread)
{
	return g->first[thread + 1] - g->first[thread];
}

/* May this write serve this read: is it the one of the trace, or of the same value? */
bool dh_graph_serves(const struct dh_graph *g, uint32_t write, uint32_t read);

/* The same for what was there when the window began. */
bool dh_graph_start_serves(const struct dh_graph *g, uint32_t read);

/* Do two sections exclude each other? */
DH_INLINE bool dh_section_excludes(const struct dh_section *a, const struct dh_section *b)
{
	return a->lock == b->lock && a->thread != b->thread && (a->write || b->write);
}

/* Is some lock held at both accesses, in modes that exclude each other? */
bool dh_graph_common_lock(const struct dh_graph *g, uint32_t a, uint32_t b);

#endif
