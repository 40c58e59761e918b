/* SPDX-License-Identifier: MIT */
/*
 * From the C library's name of a thread (pthread_t, thrd_t) to its record. The C
 * library gives a name out again as soon as a thread was joined, or has ended and is
 * detached; so two threads may have the same one for a moment, and the younger is the
 * one meant. Who waits for the end of a thread looks it up before.
 *
 * Context: any thread, but `inside` nothing. Takes a lock; allocates.
 */
#ifndef DH_RUNTIME_INTERCEPT_HANDLES_H
#define DH_RUNTIME_INTERCEPT_HANDLES_H

#include <pthread.h>
#include "runtime/thread.h"

/* Enters a thread. Done by its creator and by itself, whoever comes first: only once
 * in the life of the record. */
void dh_handle_enter(pthread_t handle, struct dh_thread_info *info);

/* The record, or NULL for a thread that we did not see start. */
struct dh_thread_info *dh_handle_find(pthread_t handle);

/* The thread of those that are entered whose name, as a number, is the next one above the
 * address; NULL for none. Also `inside`. */
struct dh_thread_info *dh_handle_above(uintptr_t address, pthread_t *handle);

/* The name no longer stands for this thread. */
void dh_handle_drop(pthread_t handle, const struct dh_thread_info *info);

#endif
