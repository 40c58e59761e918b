/* SPDX-License-Identifier: MIT */
/*
 * Well-formedness of an event stream: the rules that no single line can break.
 * The reader puts every event through it, whatever the format.
 *
 * Threads. A thread starts at its fork or, if nobody forks it, by itself. It has no
 * event before its fork and none after its join. It is forked at most once, not by
 * itself and not after its join; it does not join itself. A thread without events may
 * be joined, and a thread may be joined more than once.
 *
 * Locks. Write mode (acq) shuts out every other thread, read mode (rdacq) other
 * writers. A thread may take a lock again in either mode while it holds it: rdacq
 * under acq, and acq under rdacq where it is the only reader. Each mode is counted
 * for itself, and each release must have its acquire by the same thread. Acquires
 * and releases that are not the outermost of their mode are marked `nested`.
 *
 * Methods. `me` ends the innermost call of its thread that is still open.
 *
 * What is still open at the end (locks, methods, threads) is fine. O(1) per event;
 * reads and writes of a running thread cost one load. Not for concurrent use.
 * Allocates.
 */
#ifndef DH_TRACE_CHECK_H
#define DH_TRACE_CHECK_H

#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"
#include "trace/names.h"

enum {
	/* Bounds on what is open at one time, over all threads, so that a few bytes
	 * of a compressed trace cannot claim all memory. */
	DH_CHECK_METHODS_MAX = 1 << 24,
	DH_CHECK_READS_MAX = 1 << 22,
};

struct dh_check_thread {
	bool running; /* has had an event and was not joined */
	bool begun, forked, joined;
	uint64_t begun_at, forked_at, joined_at; /* where, if so */
	struct dh_vec(uint32_t) methods;	 /* open calls, innermost last */
};

struct dh_check_lock {
	uint32_t writer; /* if write_depth > 0 */
	uint32_t reader; /* if read_depth > 0; further readers are in `reads` */
	uint32_t write_depth;
	uint32_t readers; /* threads that hold it in read mode */
	uint64_t read_depth;
	uint64_t writer_since;
};

struct dh_check {
	struct dh_names *names; /* for messages; the caller's */
	const char *unit;	/* what `where` counts: "line", "event" */
	struct dh_vec(struct dh_check_thread) threads;
	struct dh_vec(struct dh_check_lock) locks;
	struct dh_map reads; /* lock << 32 | thread -> read depth */
	uint32_t methods_open;
	char message[400]; /* what is wrong, after a failure */
};

/* names and unit must outlive the check. */
void dh_check_init(struct dh_check *c, struct dh_names *names, const char *unit);
void dh_check_free(struct dh_check *c);

/* The general case of dh_check_event(). */
bool dh_check_event_slow(struct dh_check *c, struct dh_event *ev, uint64_t where);

/* The next event; sets ev->nested. where is its place for later messages. True if
 * all is well; else c->message says what is not, and the check is over. */
DH_INLINE bool dh_check_event(struct dh_check *c, struct dh_event *ev, uint64_t where)
{
	ev->nested = false;
	if (DH_LIKELY(ev->op <= DH_WRITE && ev->thread < c->threads.len &&
		      c->threads.at[ev->thread].running))
		return true;
	return dh_check_event_slow(c, ev, where);
}

#endif
