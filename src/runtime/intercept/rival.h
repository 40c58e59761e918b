/* SPDX-License-Identifier: MIT */
/* An allocator that stands before ours. Its memory is no heap memory to us, and its order
 * is unseen: the user has to know. */
#ifndef DH_RUNTIME_INTERCEPT_RIVAL_H
#define DH_RUNTIME_INTERCEPT_RIVAL_H

/* Where all functions of the C library stand before ours nothing is watched, which is said
 * too.
 *
 * At start-up, once the program's own module is known (callers.h): says so on standard
 * error where it is so. */
void dh_malloc_look_for_rival(void);

#endif
