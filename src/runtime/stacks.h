/* SPDX-License-Identifier: MIT */
/* Whose stack an address lies on, for reports. Any thread, `inside`; allocates. */
#ifndef DH_RUNTIME_STACKS_H
#define DH_RUNTIME_STACKS_H

#include "runtime/thread.h"

/* The thread, or NULL where the address is on nobody's stack. A thread's own variables
 * (thread-local storage) lie with its stack where libc allocated both. */
const struct dh_thread_info *dh_stack_owner(uintptr_t address);

#endif
