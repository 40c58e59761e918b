/* SPDX-License-Identifier: MIT */
/*
 * One finding as it was read from a file: two accesses, what they are to, and what is
 * known about them, whichever engine found it; and races that add further accesses. Plain
 * data that belongs to the set it was read into (findings.h) and is not changed after
 * that.
 *
 * Equal texts, frames and stacks of a set are the same pointer. Texts come from the
 * program: they hold no NUL, but may hold anything else (control characters, markup,
 * bytes that are no UTF-8), and every renderer makes them harmless for its format. What
 * is not known is NULL, or 0 where a comment says so.
 */
#ifndef DH_TRIAGE_FINDING_H
#define DH_TRIAGE_FINDING_H

#include "event/race.h"

struct dh_finding_frame {
	const char *function; /* as it was demangled */
	const char *file;
	const char *module; /* path */
	uint64_t offset;    /* in the module as it was linked, where there is no line */
	uint32_t line, column; /* from 1; 0: not known */
	bool inlined;	       /* the next frame is the function it was inlined in */
	bool folded;	       /* of a recursion that may have had more rounds */
	bool lost;	 /* in place of the frames from here outward; has nothing else */
	uint32_t number; /* dense in the set, from 0: for tables beside it */
};

/* Innermost first. */
struct dh_finding_stack {
	uint32_t len;
	uint32_t number; /* dense in the set, from 0 */
	const struct dh_finding_frame *at[];
};

/* A global variable. */
struct dh_finding_variable {
	const char *name;
	const char *part;  /* "[3].next" */
	const char *field; /* "node.next": the structure and its member */
	const char *module;
	const char *file; /* of the declaration */
	uint32_t line;
	uint64_t size, offset;
};

struct dh_finding_lock {
	const char *name; /* what the program calls it, else the variable it is, else its
			     address: never NULL */
	const char *address; /* as text */
	bool read_mode;
	const struct dh_finding_variable *global;
	const struct dh_finding_stack *taken, *created;
};

struct dh_finding_thread {
	const char *id; /* of the process or trace, as text: never NULL */
	const char *name;
	const char *parent; /* the id of the thread that created it */
	bool main, running;
	const struct dh_finding_stack *created;
};

struct dh_finding_locks {
	size_t len;
	const struct dh_finding_lock *at;
};

enum dh_finding_op { DH_OP_READ, DH_OP_WRITE, DH_OP_FREE };

struct dh_finding_access {
	enum dh_finding_op op;
	bool atomic;
	bool has_index;
	uint64_t index; /* of the event in a trace, where has_index */
	uint64_t size;	/* bytes; 0: not known */
	const struct dh_finding_thread *thread;
	const struct dh_finding_stack *stack; /* never NULL; may be of length 0 */
	bool locks_known;		      /* else nothing is known of what was held */
	struct dh_finding_locks locks;	      /* held for sure, outermost first */
	struct dh_finding_locks locks_maybe;  /* held for a part of the time frame */
	uint64_t locks_lost;		      /* and so many more */
};

enum dh_finding_kind {
	DH_KIND_UNKNOWN,
	DH_KIND_GLOBAL,
	DH_KIND_HEAP,
	DH_KIND_STACK,	  /* of a thread, or among its thread-local variables */
	DH_KIND_VARIABLE, /* of a trace, by its name there */
};

struct dh_finding_object {
	enum dh_finding_kind kind;
	const char *label;		     /* what the program calls the memory */
	struct dh_finding_variable variable; /* GLOBAL; of VARIABLE name and part */
	uint64_t size, offset;		     /* GLOBAL, HEAP: bytes; of the race in it */
	const struct dh_finding_thread *thread;	     /* allocated it; whose stack it is */
	const struct dh_finding_stack *allocated;    /* HEAP */
	const struct dh_finding_thread *free_thread; /* HEAP */
	const struct dh_finding_stack *freed;	     /* HEAP; NULL: it was not */
	bool object_level; /* judged as a whole, before its fields were told apart */
};

struct dh_finding_held {
	const struct dh_finding_lock *lock;
	uint64_t count;
};

struct dh_finding_step {
	int64_t by;
	uint64_t count;
};

/* How the program uses what it raced on: docs/formats/findings.md has the meanings. */
struct dh_finding_evidence {
	bool complete; /* false where counting stopped at its limit */
	uint64_t accesses, reads, writes, atomics, threads;
	uint64_t read_then_write, unlocked, same_value, other_steps;
	uint64_t first_site, second_site;
	size_t held_len, steps_len;
	const struct dh_finding_held *held; /* the most frequent first */
	const struct dh_finding_step *steps;
	const char *before, *after; /* the value, where it was sent */
};

struct dh_finding_loss {
	const char *name;
	uint64_t count;
};

/* What a finding was found in: a process, or an engine's pass over a trace. */
struct dh_finding_run {
	uint32_t number; /* from 0, in the order of reading */
	const char *file;
	uint64_t line; /* of its first line in the file */
	const char *engine;
	const char *trace; /* the file that was analysed; NULL: it was a process */
	uint64_t process;  /* 0: not known */
	const char *time;  /* of its first finding or its end, "2026-11-15T08:45:42Z" */
	bool ended;	   /* it has a summary */
	bool complete;	   /* and ended in good order */
	uint64_t findings; /* in the file */
	uint64_t met;	   /* how often any was; 0: not known */
	size_t losses_len;
	const struct dh_finding_loss *losses;
	const char *damage; /* of the trace */
};

struct dh_finding {
	enum dh_grade grade;
	const char *suppressed; /* the rule that it fell under when it was found */
	bool has_first;		/* else nothing of first is known */
	struct dh_finding_access first, second;
	struct dh_finding_object object;
	size_t threads_len;
	const struct dh_finding_thread *threads; /* that the accesses and object name */
	const struct dh_finding_evidence *evidence;
	size_t witness_len;
	const uint64_t *witness; /* predicted: a schedule, as indices of events */
	uint64_t witness_start;	 /* all events below it come first, in order */
	struct dh_finding_run *run;
	uint64_t serial; /* in its run; 0: not known */
	uint64_t line;	 /* in the run's file */
	/* The next race on the same variable that adds to the finding, and is none itself:
	 * of that, the one after it. NULL: no more. */
	struct dh_finding *further;
};

/* An access of a finding, and the race that it is of. */
struct dh_finding_place {
	const struct dh_finding *race;
	const struct dh_finding_access *access;
};

enum { DH_FINDING_MOST = 64 }; /* places that are looked at */

/* The accesses of a finding, each place once: first and second (without the first where
 * nothing is known of it), then further ones. Returns how many, at most
 * DH_FINDING_MOST. */
size_t dh_finding_places(const struct dh_finding *f, struct dh_finding_place *to);

#endif
