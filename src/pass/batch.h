/* SPDX-License-Identifier: MIT */
/*
 * Calls that tell of all rounds of a loop and stand next to each other, since they are of
 * the same loop. Those whose accesses lie side by side in each round and come from the
 * same place of the source, as when a loop was unrolled, become one, of an array without
 * gaps. The others become one call that tells of all of them together (runtime/loops.h):
 * each by itself would go through the same shadow, and loops over large arrays would
 * fetch it once for each.
 */
#ifndef DH_PASS_BATCH_H
#define DH_PASS_BATCH_H

#include "pass/llvm.h"

/* All functions of a module. */
void dh_batch(struct ll_context *context, struct ll_module *module);

#endif
