/* SPDX-License-Identifier: MIT */
/*
 * Birth and end of the threads that a program makes, for the interceptors of POSIX and
 * C11 threads.
 *
 *   creator                          child
 *   dh_birth_begin()
 *   real creation, with the birth ─► dh_birth_start(): attached from here on
 *   dh_birth_end()                   the program's function
 *                                    thread-local destructors, watched
 *                                    the end: its clock is left for who joins it
 *
 * From the begin on, all signals are blocked, in the child until it is attached: no
 * handler runs that would not be watched.
 *
 * The end is seen by the destructor of a thread-specific key, which puts itself off to
 * the last round of destructors.
 *
 * Context: any thread, no lock of ours held.
 */
#ifndef DH_RUNTIME_INTERCEPT_LIFETIME_H
#define DH_RUNTIME_INTERCEPT_LIFETIME_H

#include <pthread.h>
#include "runtime/thread.h"

/* Given to the child. */
struct dh_birth {
	struct dh_thread_info *info;
	union {
		void *(*posix)(void *);
		int (*c11)(void *);
	} function;
	void *arg;
	uint64_t mask; /* signals blocked in the creator, and to be in the child */
};

/* At start-up, by the main thread once it is attached: enters it and arms its end. */
void dh_lifetime_init(void);

/* In the creator, before the real call. pc is where. NULL where the creator is not
 * watched: then the child is not either. */
struct dh_birth *dh_birth_begin(uint64_t pc);

/* In the creator, after the real call. made is the new thread's name as the C library
 * wrote it, NULL where the creation failed. The birth is gone. */
void dh_birth_end(struct dh_birth *b, struct dh_thread_info *info, const pthread_t *made,
		  bool detached);

/* In the child, first of all: attaches it, gives the birth back. */
struct dh_birth dh_birth_start(struct dh_birth *b);

/* The calling thread has joined this one, whose record was looked up before (NULL:
 * unknown). */
void dh_lifetime_joined(pthread_t handle, struct dh_thread_info *info);

/* Nobody will join this one, whose record was looked up before. */
void dh_lifetime_detached(pthread_t handle, struct dh_thread_info *info);

#endif
