/* SPDX-License-Identifier: MIT */
/*
 * The program's own limits on its address space and on its data, of which the runtime needs
 * a large part (shadow.h): what the program asks for is meant for itself.
 *
 * Context: any thread, not `inside`.
 */
#ifndef DH_RUNTIME_INTERCEPT_LIMITS_H
#define DH_RUNTIME_INTERCEPT_LIMITS_H

/* Before an exec: what is to come has the limit that was asked for. */
void dh_limits_as_asked(void);

/* After one that failed. */
void dh_limits_as_needed(void);

#endif
