/* SPDX-License-Identifier: MIT */
/*
 * Entries of what a thread remembers to be quicker next time. Tables of them are in its state
 * (thread.h). Used by the thread itself and its signal handlers, which change nothing.
 */
#ifndef DH_RUNTIME_THREAD_CACHES_H
#define DH_RUNTIME_THREAD_CACHES_H

#include "runtime/shadow.h"

/* An entry of the cache of sites: (node, pc) has this site. With DH_SITE_CALL in its pc: a
 * call from there leads to this node. */
#define DH_SITE_CALL ((uint64_t)1 << 63)
struct dh_site_entry {
	uint64_t pc;
	uint32_t node;
	uint32_t site;
};

/* The set of reads `word` has a plain one of this thread: of the time frame `when`, which
 * also has the mask of its bytes in the lowest bits. Or, where `when` has the bit for atomic
 * ones: one of the lane of tasks (openmp/lane.h) whose epochs have the rest in common. */
struct dh_known_set {
	dh_record word;
	uint64_t when;
};

/* A cell whose reads were this, and in which a place has one of this thread, of that time
 * frame and of all bytes. */
struct dh_known_cell {
	const struct dh_cell *cell;
	uint64_t now;
	dh_record read;
};

/* Adding a record to the reads of a cell gave this (readers.c). */
struct dh_set_memo {
	dh_record old, rec, made;
};

/* The last access at pc, in that context and time frame, that was no repeat: it found these
 * in its cell, and made this of its own kind of them (recall.h). */
struct dh_recall {
	uint64_t pc, now;
	dh_record read, write, made;
	uint32_t node;
	uint16_t plain;	 /* not 0: by a store, the record that went was the thread's own, or
			  * there is no other thread */
	uint16_t joined; /* 1: it is a set */
	uint64_t seen;	 /* what the one before this has found: a hint */
	uint64_t unused; /* up to the size of a line of the cache */
};
_Static_assert(sizeof(struct dh_recall) == 64, "an index is a shift");

#endif
