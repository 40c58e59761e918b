/* SPDX-License-Identifier: MIT */
/*
 * Windows to be judged, and the threads that do it. Work is handed over in a short queue,
 * so that reading does not run ahead of judging by more than a few windows. With one job
 * there is no thread: the caller judges.
 *
 * dh_jobs_add() and dh_jobs_free() are called from one thread; the work function from
 * any of the jobs, several at once. Allocates.
 */
#ifndef DH_PREDICT_JOBS_H
#define DH_PREDICT_JOBS_H

#include "predict/window.h"

struct dh_jobs;

/* work is to free the window. Fewer threads than asked for may be had; at least the
 * caller works. */
struct dh_jobs *dh_jobs_new(uint32_t jobs,
			    void (*work)(void *context, struct dh_window *w),
			    void *context);

/* Waits while the queue is full. */
void dh_jobs_add(struct dh_jobs *j, struct dh_window *w);

/* Waits for all that was added, and ends the threads. */
void dh_jobs_free(struct dh_jobs *j);

#endif
