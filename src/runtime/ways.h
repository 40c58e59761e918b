/* SPDX-License-Identifier: MIT */
/*
 * Ways of order that the kernel knows by number, not by an address of the program: queues
 * and semaphores of System V, and files, which have locks and, as POSIX message queues,
 * messages. A way has two places, for what is told apart (enum dh_place).
 *
 * They are made when first used and stay: a number that is given out anew brings order
 * with its former life, never too little.
 *
 * Concurrency: any thread, in signal handlers too. The functions do nothing on a thread
 * that is not watched, raise `inside` themselves, and leave errno alone.
 */
#ifndef DH_RUNTIME_WAYS_H
#define DH_RUNTIME_WAYS_H

#include "base/base.h"

enum dh_way { DH_WAY_FILE = 1, DH_WAY_QUEUE, DH_WAY_SEMAPHORE };

enum dh_place { DH_PLACE_FIRST, DH_PLACE_SECOND };

/* Before the call that lets others go on; after the call that succeeded. The way has the
 * numbers a and b. */
void dh_way_release(enum dh_way way, uint64_t a, uint64_t b, enum dh_place place);
void dh_way_acquire(enum dh_way way, uint64_t a, uint64_t b, enum dh_place place);

/* The same for the file behind a descriptor, at the first place. */
void dh_file_release(int fd);
void dh_file_acquire(int fd);

/* It has something to read: the same as the second, if it is known. */
void dh_file_heard(int fd);

/* Locks of a file: flock(), and those of an open file. Who takes one comes after who held it for
 * writing, and who takes it for writing after who held it for reading, too. */
enum dh_file_lock { DH_LOCK_FLOCK, DH_LOCK_OPEN_FILE };

/* Before and after the call that takes a lock so, or gives it up; one that is held is given up for
 * another. Of copies of a descriptor each is taken to have its own, but any may give up what
 * another has taken. Ranges of a file are not told apart. */
enum dh_file_held { DH_HELD_NOT, DH_HELD_FOR_READING, DH_HELD_FOR_WRITING };
void dh_file_locking(int fd, enum dh_file_lock kind, enum dh_file_held how);
void dh_file_locked(int fd, enum dh_file_lock kind, enum dh_file_held how);

/* A descriptor is about to be closed: locks of its file end, if there were any. */
void dh_file_closing(int fd);

#endif
