/* SPDX-License-Identifier: MIT */
/*
 * Two versions of a loop: one whose accesses were told of before it, for many rounds, and
 *one that tells of each by itself, for few; telling of all has a price of its own.
 *
 *	before:					before:
 *		...					...
 *		__deadheat_rounds_...			if (rounds < few) goto twin;
 *	loop:					tell:
 *		__tsan_read8(...)			__deadheat_rounds_...
 *		...				loop:
 *		if (...) goto loop;			...
 *							if (...) goto loop;
 *							goto after;
 *						twin:
 *							__tsan_read8(...)
 *							...
 *							if (...) goto twin;
 *	after:					after:
 */
#ifndef DH_PASS_VERSION_H
#define DH_PASS_VERSION_H

#include "pass/cfg.h"

/* Is it small enough for that, in a form that can be doubled? It has a block before it
 * and one way out. */
bool dh_version_fits(const struct dh_cfg *g, const struct dh_loop *l);

/* Doubles it. many: does it go round often enough? Known before the loop. The block that
 * calls which tell of all rounds are to be moved to, at its end. The loop itself remains
 * what is gone through then; its calls are the caller's to remove. NULL: no memory,
 * nothing was done. The blocks of g are still right, but there are more. */
struct ll_value *dh_version(struct ll_context *context, const struct dh_cfg *g,
			    const struct dh_loop *l, struct ll_value *many);

#endif
