/* SPDX-License-Identifier: MIT */
/*
 * Memory of our own: size classes carved from mapped slabs, larger blocks from
 * the kernel. Never enters the program's allocator. Blocks carry no header, so
 * the size is given back with the block.
 *
 * Safe for concurrent use. Takes a lock, so not for a signal handler that may
 * have interrupted this allocator. Running out of memory ends the process with
 * a message: the core has no way to go on without its tables.
 *
 * Under AddressSanitizer every block comes from malloc, so that overruns of our
 * own structures are caught; under ThreadSanitizer the large ones do.
 */
#ifndef DH_BASE_MEM_H
#define DH_BASE_MEM_H

#include "base/base.h"

/* A zeroed block of size bytes (> 0), 16-byte aligned. Never NULL. */
void *dh_mem_alloc(size_t size);

/* Gives back a block of exactly this size. NULL is passed over. */
void dh_mem_free(void *block, size_t size);

/* Grows or shrinks; new bytes are zero. The old block is gone. old may be NULL
 * when old_size is 0. */
void *dh_mem_resize(void *old, size_t old_size, size_t new_size);

/* Pages from the kernel, as dh_sys_map() and dh_sys_map_sparse() have them, for the runtime
 * itself: where the program has limited what it may have, these come on top. */
void *dh_mem_map(size_t size);
void *dh_mem_map_sparse(size_t size);

/* Asked where the kernel gives nothing: may so many bytes be had now, after all? NULL: no. Any
 * thread, which may hold any lock of ours. */
extern bool (*dh_mem_short)(size_t size); /* atomic */

/* Bytes handed out and not yet given back, over all threads. */
size_t dh_mem_in_use(void);

#endif
