/* SPDX-License-Identifier: MIT */
/*
 * libomp: untied tasks run as tied ones, which an implementation is free to do.
 *
 * clang cuts an untied task into parts. At the end of each the program puts the task back
 * into the library's queue, with the number of the next part, and returns. Whichever thread
 * takes the last part, the end of the task may be told by another, which had a part before;
 * the one that ran it says nothing. So nobody can tell from that when a thread leaves such a
 * task. Here the library is told that the task is tied, and gets a function of ours as its
 * code, which runs the parts one after the other.
 *
 * Context: any thread that runs code of the program.
 */
#ifndef DH_RUNTIME_INTERCEPT_KMPC_UNTIED_H
#define DH_RUNTIME_INTERCEPT_KMPC_UNTIED_H

#include "base/base.h"

/* Of the flags that a task is made with. */
enum { DH_KMPC_TIED = 1 };

/* The code that the library is to have for an untied task; and, once it has made the task,
 * what its own is. */
void *dh_untied_code(void);
void dh_untied_mark(void *task, void *entry);

/* The task's own code, whether or not it is one of these. */
void *dh_untied_entry(void *task);

#endif
