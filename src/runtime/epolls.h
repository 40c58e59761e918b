/* SPDX-License-Identifier: MIT */
/*
 * What epoll sets tell of. That a descriptor has something to read is news from who wrote
 * it, also for a thread that hears of it and reads nothing. epoll_wait() says so with the
 * word that epoll_ctl() was given for the descriptor; here is kept whose word it is.
 *
 * What leaves a set by being closed stays known until its number comes into the set
 * again: order may be seen where there is none, never the other way round.
 *
 * Concurrency: any thread, in signal handlers too. The functions raise `inside`
 * themselves and leave errno alone.
 */
#ifndef DH_RUNTIME_EPOLLS_H
#define DH_RUNTIME_EPOLLS_H

#include "base/base.h"

/* The descriptor is about to be in the set with this word, or with another one than
 * before; it has left it. */
void dh_epoll_enters(int set, int fd, uint64_t word);
void dh_epoll_leaves(int set, int fd);

/* The set has said that there is something to read, with this word: comes after who wrote
 * into the descriptors of that word. */
void dh_epoll_heard(int set, uint64_t word);

/* The same of one descriptor, as poll() says it. Where that is a set, after who wrote into any of
 * its descriptors; where it is a queue of messages, after who sent one. */
void dh_poll_heard(int fd);

#endif
