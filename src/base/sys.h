/* SPDX-License-Identifier: MIT */
/*
 * The porting layer: the few things the core asks of the kernel, by direct
 * system call, so that no interposed libc function is ever entered. Each call
 * is async-signal-safe, leaves errno alone and takes no lock.
 */
#ifndef DH_BASE_SYS_H
#define DH_BASE_SYS_H

#include "base/base.h"

/* Fresh zeroed pages, or NULL when the kernel refuses. size > 0. */
void *dh_sys_map(size_t size);

/* The same for a size that is far beyond what will be used: no memory is set aside, core
 * dumps leave it out. */
void *dh_sys_map_sparse(size_t size);

/* Bytes that the process may have at most of address space, or of data, whichever is less;
 * UINT64_MAX where neither is limited. */
uint64_t dh_sys_memory_limit(void);

/* Is address space something to be careful with: limited for this process, or not to be
 * had without memory for it? */
bool dh_sys_rationed(void);

/* Gives back what dh_sys_map() or dh_sys_map_sparse() returned, with the same size. */
void dh_sys_unmap(void *addr, size_t size);

/* Address space without memory behind it, which no limit on memory counts, or NULL.
 * To be used piece by piece after dh_sys_commit(); given back whole by
 * dh_sys_unmap(). */
void *dh_sys_reserve(size_t size);

/* Makes whole pages of a reservation usable (zero at first; those that already
 * are stay as they are). False when the kernel refuses. */
bool dh_sys_commit(void *addr, size_t size);

/* The contents of whole pages of a mapping are no longer needed: they read as zero
 * from now on, and their memory goes back to the kernel. */
void dh_sys_discard(void *addr, size_t size);

/* Which of the pages of a mapping are in memory: a byte for each, its lowest bit. False
 * where the kernel does not tell. */
bool dh_sys_resident(void *addr, size_t size, unsigned char *pages);

/* Writes all n bytes to fd, over short writes and EINTR. Returns 0, or -errno. */
int dh_sys_write(int fd, const void *buf, size_t n);

/* Sleeps while *word == expected; may return early for no reason. */
void dh_sys_futex_wait(const uint32_t *word, uint32_t expected);

/* Wakes at most n sleepers on word. */
void dh_sys_futex_wake(const uint32_t *word, int n);

/* Sleeps for about so many nanoseconds, less than a second; may return early. */
void dh_sys_nap(uint64_t ns);

/* The kernel's number of the calling thread. */
uint64_t dh_sys_thread_id(void);

/* Ends the process at once by SIGABRT. */
_Noreturn void dh_sys_abort(void);

#endif
