/* SPDX-License-Identifier: MIT */
/*
 * Waiting on a condition variable, POSIX or C11: the mutex is released for the time of
 * the wait, and held again after it however the wait ends, by cancellation too. The
 * signal itself orders nothing: that is what the mutex is for.
 */
#ifndef DH_RUNTIME_INTERCEPT_WAIT_H
#define DH_RUNTIME_INTERCEPT_WAIT_H

#include <pthread.h>
#include "base/base.h"

/* A condition variable is about to be signalled or waited on. */
void dh_wait_used(const void *cond, uint64_t pc);

/* Does call(args), the real wait, which releases and re-acquires m. pc is the
 * program's call. Returns what call returned. */
int dh_wait_on(pthread_mutex_t *m, int (*call)(void *args), void *args, uint64_t pc);

#endif
