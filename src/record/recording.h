/* SPDX-License-Identifier: MIT */
/*
 * A recording in the making: from the memory that the program writes to (drain.h) to a
 * file (tape.h), of which its readers make events. Where only the end of the run is
 * wanted that is done at once: over a file without a name (spool.h), while it is surveyed
 * (survey.h), to a trace (scribe.h).
 * Used by `deadheat record` and `deadheat run --predict`. One thread.
 *
 *   start the program with the variable DH_RING_VARIABLE set to dh_recording_path();
 *   while (it runs)
 *           dh_recording_some(r) is much || take a nap;
 *   dh_recording_finish(r, &summary);
 */
#ifndef DH_RECORD_RECORDING_H
#define DH_RECORD_RECORDING_H

#include "trace/ring.h"

struct dh_recording_config {
	const char *path;  /* of the trace */
	bool all;	   /* repeated accesses and such as cannot race, too */
	uint64_t max_size; /* bytes at most, before compression; 0: no bound */
	uint64_t last;	   /* only so many of the last records; 0: all */
};

struct dh_recording_summary {
	uint64_t records, threads;
	uint64_t lost;			/* records that the program could not hand over */
	uint32_t others;		/* processes that were not recorded, */
	uint32_t other[DH_RING_OTHERS]; /* and the first of them: see trace/ring.h */
	bool attached;			/* there was one that was */
	bool cut;			/* at max_size */
};

struct dh_recording;

/* NULL, after a message on standard error, where there is no memory or the folder of the
 * path cannot be written to. config is copied, the path is not. */
struct dh_recording *dh_recording_new(const struct dh_recording_config *config);
void dh_recording_free(struct dh_recording *r);

/* What the program has to open. */
const char *dh_recording_path(const struct dh_recording *r);

/* Takes what is there. Returns how many records it was. */
uint64_t dh_recording_some(struct dh_recording *r);

/* Is there a process that is recorded, or was there one? */
bool dh_recording_attached(const struct dh_recording *r);

/* The program has ended: takes the rest and writes the trace. 0, or a negative errno
 * value after a message. */
int dh_recording_finish(struct dh_recording *r, struct dh_recording_summary *out);

#endif
