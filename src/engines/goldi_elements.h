/* SPDX-License-Identifier: MIT */
/*
 * Elements: what a Goldilocks lockset may contain, numbered densely so that a lockset
 * is a row of bits. A thread, a lock's write-mode side, its read-mode side, a message,
 * a volatile and one use (episode) of a barrier are an element each. Number 0 is given
 * to nothing and means "no such element (yet)".
 *
 * A reader-writer lock l is two elements. W(l) stands for "who takes l next, in any
 * mode, comes later", R(l) for "who takes l next in write mode comes later": a release
 * in write mode gives W(l), one in read mode gives R(l).
 *
 * An episode of a barrier is over when everyone who entered has left and a new one has
 * begun; its number is then *retired*, and given again once no cell speaks of it. So is
 * that of a lock, message, volatile or thread that is no more.
 *
 * Called by goldi*.c. Not for concurrent use. Allocates.
 */
#ifndef DH_ENGINES_GOLDI_ELEMENTS_H
#define DH_ENGINES_GOLDI_ELEMENTS_H

#include "base/map.h"
#include "base/vec.h"

struct dh_goldi_lock {
	uint32_t write; /* W(l) */
	uint32_t read;	/* R(l) */
	uint32_t last;	/* thread that released it last, in write mode: id + 1; or 0 */
};

struct dh_goldi_episode {
	uint32_t element; /* 0 until someone enters */
	uint32_t inside;  /* entered and not yet left */
	bool left;	  /* someone has left: the next to enter opens a new episode */
};

struct dh_goldi_retired {
	uint32_t element;
	uint64_t position; /* its last cell lies at or before this one */
};

struct dh_goldi_elements {
	uint32_t count; /* numbers in use lie below this; at least 1 */
	struct dh_vec(uint32_t) unused;
	struct dh_vec(struct dh_goldi_lock) locks;
	struct dh_vec(uint32_t) messages;
	struct dh_vec(uint32_t) volatiles;
	struct dh_vec(struct dh_goldi_episode *) barriers; /* the current episode */
	struct dh_map inside; /* barrier, thread -> episode */
	struct dh_vec(struct dh_goldi_retired) retired;
};

void dh_goldi_elements_init(struct dh_goldi_elements *e);
void dh_goldi_elements_free(struct dh_goldi_elements *e);

/* A number that no lockset contains. */
uint32_t dh_goldi_element_new(struct dh_goldi_elements *e);

/* *place, which gets a number first where it has none. */
uint32_t dh_goldi_element_at(struct dh_goldi_elements *e, uint32_t *place);

/* The places of a lock's, message's and volatile's numbers. Valid until the next call
 * for the same kind. */
struct dh_goldi_lock *dh_goldi_lock_of(struct dh_goldi_elements *e, uint32_t lock);
uint32_t *dh_goldi_message_of(struct dh_goldi_elements *e, uint32_t message);
uint32_t *dh_goldi_volatile_of(struct dh_goldi_elements *e, uint32_t var);

/* The element of the episode that the thread (by id) enters or leaves now; a leave
 * belongs to the episode which that thread entered, or to the current one where it
 * entered none. 0 where nobody entered. position is that of the cell to come. */
uint32_t dh_goldi_barrier_enter(struct dh_goldi_elements *e, uint32_t barrier,
				uint32_t thread, uint64_t position);
uint32_t dh_goldi_barrier_leave(struct dh_goldi_elements *e, uint32_t barrier,
				uint32_t thread, uint64_t position);

#endif
