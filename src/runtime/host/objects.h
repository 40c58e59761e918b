/* SPDX-License-Identifier: MIT */
/*
 * Synchronisation objects by address: dense numbers for each kind of name, as events want
 * them, and what the host keeps of locks and volatiles. Objects in memory that starts
 * over are forgotten: what is there later has another number.
 * Numbers are used again (but those of barriers), not before some thousand others were
 * given back: an engine may know a variable by the lock that protected it.
 *
 * Part of the host: for one who is alone there; dh_object_find() also in its gate.
 * Allocates.
 */
#ifndef DH_RUNTIME_HOST_OBJECTS_H
#define DH_RUNTIME_HOST_OBJECTS_H

#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"

struct dh_held_lock {
	uint32_t writer;  /* id of the guest that has it in write mode + 1; 0: none;
			     atomic, as is: */
	uint32_t readers; /* guests that have it in read mode */
};

/* Messages that a volatile carries beside what is written to it with release: those of
 * fences. */
struct dh_volatile {
	struct dh_vec(uint32_t) fences;
};

/* An object that has an address, in the list of its page. */
struct dh_object {
	uintptr_t addr;
	enum dh_name_kind kind;
	uint32_t next; /* place + 1 */
};

struct dh_objects {
	struct dh_map numbers; /* address and kind -> number */
	struct dh_map pages;   /* page -> place of the first object in it + 1 */
	struct dh_vec(struct dh_object) at;
	uint32_t unused; /* places; likewise */
	struct dh_vec(uint32_t)
	    given_back[DH_NAME_KINDS];	   /* numbers, the oldest first, */
	size_t taken_again[DH_NAME_KINDS]; /* of which these are in use */
	uint32_t count[DH_NAME_KINDS];
	struct dh_vec(struct dh_held_lock) locks;
	struct dh_vec(struct dh_volatile) volatiles;
};

/* The number of an object; a new one where there is none. */
uint32_t dh_object_number(struct dh_objects *o, enum dh_name_kind kind, uintptr_t addr);

/* The same, but *number stays as it is and the answer is false where there is none. */
bool dh_object_find(const struct dh_objects *o, enum dh_name_kind kind, uintptr_t addr,
		    uint32_t *number);

/* A number that belongs to no address. */
uint32_t dh_object_new(struct dh_objects *o, enum dh_name_kind kind);

void dh_objects_forget(struct dh_objects *o, uintptr_t addr, size_t size);

#endif
