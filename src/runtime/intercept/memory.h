/* SPDX-License-Identifier: MIT */
/* Memory that comes and goes without an interposed call (mmap.c). */
#ifndef DH_RUNTIME_INTERCEPT_MEMORY_H
#define DH_RUNTIME_INTERCEPT_MEMORY_H

/* The calling thread, which has just been attached, starts: the C library gives stacks
 * out again, and what an earlier thread did on this one is of the past. Not for the main
 * thread. Calls the C library; `inside` is not raised. */
void dh_memory_thread_stack(void);

#endif
