/* SPDX-License-Identifier: MIT */
/*
 * Holding up other threads where they would enter the runtime, so that a fork copies
 * tables that nobody is in the middle of changing. Threads go on running code of the
 * program meanwhile, and what a fast path does without being `inside`.
 *
 * How: who enters raises `inside` and then looks whether all are to stop (thread.h); who
 * stops them says so and then looks at everybody's `inside`. That one of the two sees
 * the other wants a barrier on both sides; the kernel puts it into the others on behalf
 * of who stops them, so that entering stays cheap. Where the kernel does not (before
 * Linux 4.14, some sandboxes) a thread may slip in: then the locks of the tables are
 * what there is (base/lock.h).
 *
 * Context: any thread that is `inside` itself; one at a time.
 */
#ifndef DH_RUNTIME_STOP_H
#define DH_RUNTIME_STOP_H

#include "base/base.h"

struct dh_thread_info;

/* At start-up. */
void dh_stop_init(void);

/* The calling thread begins, and is `inside`: it is waited for from now on. Waits first
 * while the others are to stop. Without it a fork would copy what the thread is in the
 * middle of, such as giving back the clock that it has got from its creator. */
void dh_stop_begin(struct dh_thread_info *info);

/* Returns when no other thread is inside; or, where one stays for long (it may be in a
 * handler of a fault in our own code), without that. */
void dh_stop_others(void);

/* All may go on. In the child of a fork too. */
void dh_stop_end(void);

#endif
