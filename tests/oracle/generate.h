/* SPDX-License-Identifier: MIT */
/*
 * Random well-formed traces. Threads follow little scripts (a locked access, a
 * read-locked one, a message, a barrier, ...) that are interleaved at random, so
 * that a trace has discipline, breaches of it, and every operation of the format.
 * The same parameters give the same trace. Allocates nothing.
 */
#ifndef DH_TESTS_GENERATE_H
#define DH_TESTS_GENERATE_H

#include "rng.h"
#include "world.h"

/* The scripts: X(ENUMERATOR, usual weight). */
#define IDIOMS(X)                                                                        \
	X(IDIOM_ACCESS, 6)    /* plain accesses */                                       \
	X(IDIOM_LOCKED, 8)    /* under a mutex, perhaps two */                           \
	X(IDIOM_HELD, 2)      /* a mutex taken between accesses, released late */        \
	X(IDIOM_READ_LOCK, 3) /* under a lock in read mode */                            \
	X(IDIOM_UPGRADE, 2)   /* one lock in both modes */                               \
	X(IDIOM_REENTER, 1)   /* nested acquires */                                      \
	X(IDIOM_FORK, 2)                                                                 \
	X(IDIOM_JOIN, 2)                                                                 \
	X(IDIOM_GATHER, 2) /* several joins, then an access */                           \
	X(IDIOM_TASK, 4)   /* fork, and join soon: clock slots are used again */         \
	X(IDIOM_SEND, 2)                                                                 \
	X(IDIOM_RECEIVE, 2)                                                              \
	X(IDIOM_BARRIER, 3)                                                              \
	X(IDIOM_LEAVE, 0)   /* leaves a barrier that it may not have entered */          \
	X(IDIOM_PUBLISH, 2) /* volatile write after an access */                         \
	X(IDIOM_CONSUME, 2) /* volatile read before one */                               \
	X(IDIOM_ALLOC, 1)                                                                \
	X(IDIOM_METHOD, 1)

enum idiom {
#define X(id, weight) id,
	IDIOMS(X)
#undef X
	    IDIOM_COUNT
};

/* Special numbers of sites. */
#define SITES_NONE   0
#define SITES_BY_OP  (UINT32_MAX - 1) /* alike in all threads but the first */
#define SITES_UNIQUE UINT32_MAX	      /* one for each event */

struct generator {
	uint64_t seed;
	uint32_t events;   /* 1 .. WORLD_EVENTS */
	uint32_t threads;  /* 2 .. WORLD_THREADS */
	uint32_t roots;	   /* threads that start by themselves, 1 .. threads */
	uint32_t vars;	   /* > 0 */
	uint32_t locks;	   /* 1 .. WORLD_LOCKS */
	uint32_t channels; /* messages, volatiles and (up to 4) barriers; > 0 */
	uint32_t sites;	   /* 0: none; UINT32_MAX: one for each event */
	uint32_t writes;   /* percent of accesses */
	uint32_t
	    discipline; /* percent of locked accesses that take the variable's lock */
	uint32_t burst; /* percent: the same thread goes on */
	uint32_t weights[IDIOM_COUNT];
};

/* Parameters for a seed: all of the space is visited as seeds go up. */
void generator_vary(struct generator *g, uint64_t seed);

void generate(const struct generator *g, struct trace *t);

#endif
