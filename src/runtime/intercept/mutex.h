/* SPDX-License-Identifier: MIT */
/*
 * Mutexes as waiting on condition variables and C11's mtx_t need them: what to do
 * after a mutex was locked and before it is unlocked.
 *
 * Context: the calling thread has just locked, or is about to unlock, the mutex.
 */
#ifndef DH_RUNTIME_INTERCEPT_MUTEX_H
#define DH_RUNTIME_INTERCEPT_MUTEX_H

#include <pthread.h>
#include "base/base.h"

/* It is about to be locked, however long that takes. */
void dh_mutex_expected(const pthread_mutex_t *m);

/* pc is the call, for the list of locks held. */
void dh_mutex_locked(pthread_mutex_t *m, uint64_t pc);

/* True where the mutex will be free (to be followed by dh_mutex_locked() after a
 * wait); false for the inner unlock of a recursive one, and where the thread does not
 * hold it or is not watched. */
bool dh_mutex_unlocking(pthread_mutex_t *m);

/* A mutex begins and ends its life. */
void dh_mutex_born(pthread_mutex_t *m, uint64_t pc);
void dh_mutex_gone(pthread_mutex_t *m, uint64_t pc);

#endif
