/* SPDX-License-Identifier: MIT */
/*
 * The event: one step of one thread, as every front end delivers it and every
 * engine, filter, writer and printer sees it.
 *
 * Names (of threads, variables, locks, ...) are dense numbers from 0, one
 * numbering per kind; who reads a trace keeps the strings (trace/names.h).
 */
#ifndef DH_EVENT_EVENT_H
#define DH_EVENT_EVENT_H

#include "base/base.h"

/* X(ENUMERATOR, text form, kind of its argument). The order is the code in the
 * binary trace format: append only. */
#define DH_OPS(X)                                                                        \
	X(DH_READ, "r", DH_NAME_VAR)                                                     \
	X(DH_WRITE, "w", DH_NAME_VAR)                                                    \
	X(DH_ACQUIRE, "acq", DH_NAME_LOCK)                                               \
	X(DH_RELEASE, "rel", DH_NAME_LOCK)                                               \
	X(DH_READ_ACQUIRE, "rdacq", DH_NAME_LOCK)                                        \
	X(DH_READ_RELEASE, "rdrel", DH_NAME_LOCK)                                        \
	X(DH_FORK, "fork", DH_NAME_THREAD)                                               \
	X(DH_JOIN, "join", DH_NAME_THREAD)                                               \
	X(DH_SEND, "snd", DH_NAME_MESSAGE)                                               \
	X(DH_RECEIVE, "rcv", DH_NAME_MESSAGE)                                            \
	X(DH_BARRIER_ENTER, "benter", DH_NAME_BARRIER)                                   \
	X(DH_BARRIER_LEAVE, "bleave", DH_NAME_BARRIER)                                   \
	X(DH_VOLATILE_READ, "vr", DH_NAME_VOLATILE)                                      \
	X(DH_VOLATILE_WRITE, "vw", DH_NAME_VOLATILE)                                     \
	X(DH_ALLOC, "alloc", DH_NAME_VAR)                                                \
	X(DH_METHOD_BEGIN, "mb", DH_NAME_METHOD)                                         \
	X(DH_METHOD_END, "me", DH_NAME_METHOD)

enum dh_op {
#define X(id, text, kind) id,
	DH_OPS(X)
#undef X
	DH_OP_COUNT
};

/* What a name names. DH_NAME_SITE is a code location. */
enum dh_name_kind {
	DH_NAME_THREAD,
	DH_NAME_VAR,
	DH_NAME_LOCK,
	DH_NAME_MESSAGE,
	DH_NAME_BARRIER,
	DH_NAME_VOLATILE,
	DH_NAME_METHOD,
	DH_NAME_SITE,
	DH_NAME_KINDS
};

#define DH_SITE_NONE ((uint32_t)0) /* site 0 is "no location given" */

struct dh_event {
	uint64_t index;  /* position in the stream, from 0 */
	uint32_t thread; /* who */
	uint32_t target; /* the argument, numbered by its kind */
	uint32_t site;   /* where in the code */
	uint8_t op;      /* enum dh_op */
	bool has_value;  /* reads and writes may carry the value */
	bool nested;     /* an inner acquire or release of a lock that the thread holds
			    anyway in that mode: part of the trace, not for engines */
	uint32_t reach_count;  /* DH_METHOD_BEGIN: variables reachable from the */
	const uint32_t *reach; /* arguments; belongs to whoever made the event */
	int64_t value;
};

DH_INLINE bool dh_op_is_access(uint8_t op)
{
	return op <= DH_WRITE;
}

/* The text form of an operation, and the kind of its argument. */
const char *dh_op_text(enum dh_op op);
enum dh_name_kind dh_op_kind(enum dh_op op);

#endif
