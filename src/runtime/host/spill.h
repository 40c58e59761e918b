/* SPDX-License-Identifier: MIT */
/*
 * Records in the order in which they came, as many as there may be: the latest in memory,
 * those before them in a file, which is made when the first stretch is full. No
 * descriptor is kept open, as the program may close any; the file is removed by
 * dh_spill_drop().
 *
 * For events.c: by one thread at a time. Allocates.
 */
#ifndef DH_RUNTIME_HOST_SPILL_H
#define DH_RUNTIME_HOST_SPILL_H

#include "runtime/text.h"

struct dh_spilled {
	uint32_t op, thread, target, site;
};
_Static_assert(sizeof(struct dh_spilled) == 16, "records are many");

enum { DH_SPILL_STRETCH = 1 << 16 }; /* records; a mebibyte */

struct dh_spill {
	struct dh_text path;
	struct dh_spilled *latest; /* the stretch that is being filled */
	uint64_t count;
	long error;		 /* of the kernel, once the file has failed; else 0 */
	struct dh_spilled *read; /* a stretch of the file */
	uint64_t read_at;	 /* 1 + the number of that stretch; 0: none */
};

/* Begins with nothing; the file would be PATH.raw. */
void dh_spill_start(struct dh_spill *s, const char *path);

/* Adds a record. After an error nothing is kept any more. */
void dh_spill_add(struct dh_spill *s, struct dh_spilled r);

/* A record; valid until the next call. NULL where the file cannot be read. Dear where the
 * record is not of the same stretch as the one before. */
const struct dh_spilled *dh_spill_at(struct dh_spill *s, uint64_t i);

/* Gives back what is in memory, and removes the file if asked to. */
void dh_spill_drop(struct dh_spill *s, bool file);

#endif
