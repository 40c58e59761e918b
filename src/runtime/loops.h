/* SPDX-License-Identifier: MIT */
/*
 * Loops that tell of all their rounds at once: the contract between src/pass, which puts
 * the calls into the code that `deadheat cc` builds, and abi_loops.c, which answers them.
 *
 *	__deadheat_loop_read8(first, rounds, step)
 *
 * is as good as __tsan_read8() of first, first + step, ... in each of so many rounds, at
 * the place of the call. So for reads and writes of 1, 2, 4, 8 and 16 bytes, aligned or
 * not. Accesses of one loop are told together, so that shadow which several of them need
 * is gone through once:
 *
 *	__deadheat_loop_part_read8(&part[0], first, step)
 *	__deadheat_loop_part_write8(&part[1], first, step)
 *	__deadheat_loop_parts(part, 2, rounds)
 *
 * And those of two loops, one in the other,
 *
 *	__deadheat_loop_nest_read8(first, rounds, step, times, by)
 *
 * where first grows by `by` in each of so many times that all rounds are gone through.
 *
 * The parts are memory of the caller's, and the place of an access is that of the
 * call that makes its part. The calls go by
 * a function that is in every object which has them, the same in all, and that does
 * nothing where there is no runtime.
 */
#ifndef DH_RUNTIME_LOOPS_H
#define DH_RUNTIME_LOOPS_H

#include <stdint.h>

#define DH_LOOP_NAME  "__deadheat_loop_"   /* entry points of the runtime, */
#define DH_LOOP_CALL  "__deadheat_rounds_" /* and the functions that objects have */
#define DH_LOOP_PART  "part_"		   /* ... read8, ... */
#define DH_LOOP_PARTS "parts"
#define DH_LOOP_NEST  "nest_" /* ... read8, ... */

enum { DH_LOOP_PARTS_MOST = 8 }; /* in one call */

struct dh_loop_part {
	uint64_t pc;
	uintptr_t at; /* the first address */
	intptr_t step;
	uint32_t size, write;
};
_Static_assert(sizeof(struct dh_loop_part) == 32, "programs have memory for it");

#endif
