/* SPDX-License-Identifier: MIT */
/*
 * The reader's end of the memory that a recorded program writes to (trace/ring.h): gives
 * the records of all threads in one order, that of their tickets.
 *
 * Tickets are dense, so it is known what is still missing. The records of a ticket may
 * come in several portions while its thread goes on without a new one: such a portion is
 * given when it is seen, since nothing that conflicts with it has come after it.
 *
 * One thread. Memory does not grow with what is read.
 */
#ifndef DH_RECORD_DRAIN_H
#define DH_RECORD_DRAIN_H

#include "trace/ring.h"

struct dh_drain;

/* Records of one thread, one after the other, tickets left out. */
typedef void dh_drain_sink(void *context, uint32_t thread, const struct dh_raw *at,
			   size_t n);

/* Makes the memory. NULL where the kernel has none. filter: enum dh_ring_filter. */
struct dh_drain *dh_drain_new(uint32_t filter, dh_drain_sink *sink, void *context);
void dh_drain_free(struct dh_drain *d);

/* The name by which other processes can open the memory. Belongs to the drain. */
const char *dh_drain_path(const struct dh_drain *d);

const struct dh_ring *dh_drain_ring(const struct dh_drain *d);

/* Gives what is there. Returns how many records it was. */
uint64_t dh_drain_some(struct dh_drain *d);

/* Has the program stop recording. */
void dh_drain_stop(struct dh_drain *d);

/* The program has ended, or is not to be listened to any more: gives all that is left,
 * over gaps that a killed thread has left. */
void dh_drain_rest(struct dh_drain *d);

#endif
