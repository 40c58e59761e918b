/* SPDX-License-Identifier: MIT */
/*
 * The second look at a recording: raw records become events of a trace, with names. What
 * the survey found decides which accesses are written and what the variables are.
 *
 *   alone     what a thread does to memory while there is no other (company.h) is left
 * out atomics   `vr` and `vw`, whatever their memory order. Where the same memory is also
 *             accessed plainly, or reached by a missing method, the access itself is
 *             written, too, between the acquire and the release of a lock made up for the
 *             variable: atomic accesses do not race with each other, but with plain ones
 *             they do
 *   heap      `alloc` where a block is given out, for what matters of it; a free is a
 *             write
 *   a thread that comes after all that was done so far: `snd` in each running thread,
 *             `rcv` in it
 *
 * The trace is well formed (trace/check.h) whatever the records are: a lock that a thread
 * gets although another one was not seen to give it back is given back first, and what
 * cannot be (a release by who does not hold it, something after the end of its thread) is
 * left out; both are counted. A lock that one thread has taken and another gives back is
 * a message from there on, too: `snd` of who gives it back, and `rcv` of each that gets
 * it later.
 *
 * While it is mute it keeps track and writes nothing: for recordings of which only the
 * end is wanted. When that ends, locks that are held are acquired once more.
 *
 * One thread.
 */
#ifndef DH_RECORD_SCRIBE_H
#define DH_RECORD_SCRIBE_H

#include "record/naming.h"

/* A call of a function that is not seen. */
struct dh_scribe_call {
	uint32_t name;
	struct dh_vec(uint32_t) reach; /* variables */
};

struct dh_scribe_thread {
	bool running;
	bool joined;
	struct dh_vec(struct dh_scribe_call) calls; /* open ones, innermost last */
	struct dh_vec(struct dh_raw) reach; /* ranges, of the call that is told of next */
};

struct dh_scribe_hold {
	uint32_t thread, depth;
};

struct dh_scribe_lock {
	uint32_t name;
	uint32_t message; /* name + 1 of what those send who give it back for others; 0:
			     nobody has done so */
	struct dh_scribe_hold writer;		      /* depth 0: none */
	struct dh_vec(struct dh_scribe_hold) readers; /* depth > 0 */
};

/* Takes an event. ev->reach is good until the next record is taken. 0, or a negative
 * errno value, after which there are no more. */
typedef int dh_scribe_sink(void *context, const struct dh_event *ev);

struct dh_scribe {
	struct dh_survey *survey; /* the caller's */
	struct dh_names *names;	  /* likewise */
	dh_scribe_sink *sink;
	void *context;
	struct dh_naming naming;
	struct dh_places places;
	struct dh_places objects; /* what things of synchronisation are named by: they
				     start afresh with a heap block only */
	struct dh_company company;
	uint32_t thread; /* whose records these are */
	bool mute;
	int status; /* of the sink: 0, or a negative errno value */
	struct dh_vec(struct dh_scribe_thread) threads;
	struct dh_vec(struct dh_scribe_lock) locks;
	struct dh_map lock_index; /* number of the granule * 8 + byte -> in locks */
	struct dh_map guards;	  /* number of the granule -> name of its made-up lock */
	uint32_t meetings;	  /* names of messages made up */
	uint64_t events;
	uint64_t mended; /* locks given back, or records left out, as above */
};

void dh_scribe_init(struct dh_scribe *s, struct dh_survey *survey, struct dh_names *names,
		    dh_scribe_sink *sink, void *context);
void dh_scribe_free(struct dh_scribe *s);

/* The next record, with its payload behind it. */
void dh_scribe_take(struct dh_scribe *s, const struct dh_raw *r);

/* From here on events are written. */
void dh_scribe_speak(struct dh_scribe *s);

/* ---- between its files ---- */

/* Writes an event of a thread. target is a name of the operation's kind. */
void dh_scribe_event(struct dh_scribe *s, uint32_t thread, enum dh_op op, uint32_t target,
		     uint64_t pc);

/* What is known of a granule. */
const struct dh_use *dh_scribe_use(const struct dh_scribe *s, uint32_t number);

/* Are accesses written down at present? */
bool dh_scribe_writes(const struct dh_scribe *s);

/* Calls of functions that are not seen (scribe_calls.c): their records; those that are
 * open, once more; what a thread leaves behind. */
void dh_scribe_reach(struct dh_scribe *s, const struct dh_raw *r);
void dh_scribe_call(struct dh_scribe *s, const struct dh_raw *r);
void dh_scribe_return(struct dh_scribe *s, const struct dh_raw *r);
void dh_scribe_calls_again(struct dh_scribe *s);
void dh_scribe_calls_free(struct dh_scribe_thread *t);

/* A step on an object other than a lock (scribe_sync.c). Messages and atomics at one
 * address are one thing to the program (the guard of a static variable): where it is
 * known by the other kind, too, the step is written both ways. */
void dh_scribe_object(struct dh_scribe *s, const struct dh_raw *r, enum dh_op op,
		      enum dh_op other);

/* A step of synchronisation (scribe_sync.c). */
void dh_scribe_sync(struct dh_scribe *s, const struct dh_raw *r);

#endif
