/* SPDX-License-Identifier: MIT */
/* Barriers and fork; all else about them is in barrier.c. */
#ifndef DH_RUNTIME_INTERCEPT_BARRIER_H
#define DH_RUNTIME_INTERCEPT_BARRIER_H

/* In the child of a fork: threads that were at a barrier are no more. */
void dh_barriers_after_fork(void);

#endif
