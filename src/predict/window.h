/* SPDX-License-Identifier: MIT */
/*
 * Windows: a long trace in pieces that fit memory and solver. A window is a run of
 * consecutive events; the next one begins before it ends, so that two accesses near a
 * border are together in one of them. All that came before a window counts as done, in
 * the order of the trace.
 *
 * The slider takes the events one by one and hands out each window when it is full, with
 * what one has to know of the time before it: locks held, calls open, and for each access
 * the write before it. Memory is that of one window and of a few words per variable.
 *
 * Not for concurrent use; a window that was handed out is its owner's alone. Allocates.
 */
#ifndef DH_PREDICT_WINDOW_H
#define DH_PREDICT_WINDOW_H

#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"
#include "predict/reach.h"

#define DH_NO_EVENT UINT64_MAX

/* An event, with what the trace up to it says about it. */
struct dh_step {
	uint32_t thread, target, site;
	uint8_t op;
	bool nested;
	bool has_value;
	bool from_has_value;
	uint32_t life; /* accesses, alloc: which life of the variable, alloc begins a
			  new one; barriers: which episode */
	uint32_t
	    reach; /* DH_METHOD_BEGIN: the set that the call reaches, 0 for none;
		      accesses: the class of the variable, 0 where no call reaches it */
	int64_t value;
	uint64_t from; /* accesses: the last write before it in this life of the
			  variable, by index in the trace; or DH_NO_EVENT */
	int64_t from_value;
};

struct dh_window_lock {
	uint32_t thread, lock;
	bool write;
};

struct dh_window_call {
	uint32_t thread;
	uint32_t reach; /* the set */
};

struct dh_window {
	uint64_t number; /* 0, 1, ... */
	uint64_t start;	 /* the index of its first event */
	struct dh_vec(struct dh_step) steps;
	struct dh_reach_lists sets;		    /* by number: classes of variables, */
	struct dh_reach_pool reach;		    /* in here */
	struct dh_vec(struct dh_window_lock) held;  /* when it begins */
	struct dh_vec(struct dh_window_call) calls; /* open when it begins */
};

void dh_window_free(struct dh_window *w);

struct dh_slider_var {
	uint64_t write; /* the last one of this life, + 1; 0: none */
	int64_t value;
	uint32_t life;
	bool has_value;
};

struct dh_slider_barrier {
	uint32_t episode;
	bool left; /* someone has left: the next enter begins an episode */
};

struct dh_slider {
	uint32_t size, step; /* events in a window, and from one start to the next */
	uint64_t events;     /* taken so far */
	uint64_t covered;    /* events in windows handed out */
	uint64_t windows;    /* handed out */
	uint64_t start;	     /* of the window being filled */
	struct dh_vec(struct dh_step) steps; /* what is in it so far */
	struct dh_reach reach;
	struct dh_vec(struct dh_window_lock) held;  /* at its start */
	struct dh_vec(struct dh_window_call) calls; /* open at its start */
	struct dh_vec(struct dh_slider_var) vars;
	struct dh_vec(struct dh_slider_barrier) barriers;
	struct dh_map inside; /* barrier and thread -> episode entered */
};

/* size >= 2, 1 <= step <= size. */
void dh_slider_init(struct dh_slider *s, uint32_t size, uint32_t step);
void dh_slider_free(struct dh_slider *s);

/* Takes the next event. Returns a window that became full with it, which is the
 * caller's to free, or NULL. */
struct dh_window *dh_slider_feed(struct dh_slider *s, const struct dh_event *ev);

/* The end of the trace: the last window, or NULL where all events have been in one. */
struct dh_window *dh_slider_finish(struct dh_slider *s);

#endif
