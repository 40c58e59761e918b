/* SPDX-License-Identifier: MIT */
/*
 * Entry and exit of functions, told no sooner than somebody may ask. A function that
 *calls no other one, and makes few accesses, tells of each together with its caller
 * (runtime/leaf.h), and not of itself:
 *
 *	__tsan_func_entry(caller);
 *	__tsan_read4(x);			__deadheat_leaf_read4(x, caller);
 *	__tsan_read4(y);			__deadheat_leaf_read4(y, caller);
 *	less = *x < *y;				less = *x < *y;
 *	__tsan_func_exit();
 *
 * One that has ways out on which there is no more to it than that is entered behind the
 * place where these branch off.
 */
#ifndef DH_PASS_FRAMES_H
#define DH_PASS_FRAMES_H

#include "pass/cfg.h"

/* One function. How many calls were removed. The blocks and the edges between them stay.
 */
unsigned dh_frames(struct ll_context *context, struct ll_module *module,
		   const struct dh_cfg *g);

#endif
