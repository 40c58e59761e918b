/* SPDX-License-Identifier: MIT */
/*
 * Conduits: what data pass through from one descriptor to another (fds.h). A conduit has two
 * places, whose addresses are synchronisation objects: one for each direction.
 *
 * One that is known by what it is, and not by who has it, has a key: a pipe its inode, a
 * connection the addresses of both ends. It is found by that when the next descriptor is
 * looked at. Where the other end may yet come, it outlives the last descriptor that led to
 * it, until many others have done so.
 *
 * Concurrency: under the caller's lock, but for fields that are atomic. The memory of a
 * conduit is used again for conduits only.
 */
#ifndef DH_RUNTIME_CONDUIT_H
#define DH_RUNTIME_CONDUIT_H

#include "base/base.h"

enum { DH_CONDUIT_ALIGN = 16 };

struct dh_conduit {
	uint64_t place[2]; /* not used but for their addresses */
	uintptr_t from[2]; /* atomic: places whose data pass into these; 0: none */
	uint64_t signals;  /* atomic: those that it tells of */
	uint64_t key;	   /* 0: none */
	uint32_t users;	   /* descriptors */
	bool lingers;	   /* the other end may yet be accepted, or looked at */
	bool waiting;	   /* it has been without users, and is kept for that */
	struct dh_conduit *next;
} __attribute__((aligned(DH_CONDUIT_ALIGN)));

enum dh_key_kind {
	DH_KEY_INODE = 1,
	DH_KEY_CONNECTION,
	DH_KEY_PORT,
	DH_KEY_PATH,
	DH_KEY_DATAGRAMS,
	DH_KEY_TERMINAL
};

/* The key of what two numbers tell from others of its kind; not 0. */
uint64_t dh_conduit_key(enum dh_key_kind kind, uint64_t a, uint64_t b);

/* The one with that key, or a new one without users; 0: always a new one. */
struct dh_conduit *dh_conduit_of(uint64_t key);

/* It has one user less. */
void dh_conduit_leave(struct dh_conduit *c);

#endif
