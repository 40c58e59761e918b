/* SPDX-License-Identifier: MIT */
/*
 * Memory of tasks that a thread has given back, for the next ones. Tasks come and go by the
 * thousand, and the lock of their class of memory (base/mem.h) is where threads would meet.
 *
 * Context: what is kept is the calling thread's own. It is `inside`.
 */
#ifndef DH_RUNTIME_OPENMP_SPARE_H
#define DH_RUNTIME_OPENMP_SPARE_H

#include "base/base.h"

enum dh_spare { DH_SPARE_TASK, DH_SPARE_FAMILY, DH_SPARE_MOMENT, DH_SPARE_KINDS };

/* As dh_mem_alloc() and dh_mem_free(); blocks of a kind are mostly of one size. */
void *dh_spare_alloc(enum dh_spare kind, size_t size);
void dh_spare_free(enum dh_spare kind, void *block, size_t size);

/* A block for who sets all of it: there may be anything in it. */
void *dh_spare_get(enum dh_spare kind, size_t size);

/* The calling thread keeps nothing any more. */
void dh_spare_rest(void);

#endif
