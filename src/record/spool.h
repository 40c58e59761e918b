/* SPDX-License-Identifier: MIT */
/*
 * Raw records in the order in which they happened, in a file without a name: from the
 * first look at them, while the program runs, to the second, when it is known how the
 * program used its memory. Read from front to back, once; what was read can be thrown
 * away before the end is written.
 *
 * One thread. Failures to read or write are kept, and told by dh_spool_status().
 */
#ifndef DH_RECORD_SPOOL_H
#define DH_RECORD_SPOOL_H

#include "base/vec.h"
#include "trace/ring.h"

struct dh_spool {
	int fd;
	int status;	  /* 0, or a negative errno value */
	uint64_t written; /* records, in the file and in the buffer */
	uint64_t read;
	uint64_t dropped; /* in bytes, from the front of the file */
	uint32_t thread;  /* of the last record written */
	struct dh_vec(struct dh_raw) out;
	struct dh_raw *in;
	size_t in_at, in_len;
};

/* In the folder of path. 0, or a negative errno value. */
int dh_spool_open(struct dh_spool *s, const char *path);
void dh_spool_close(struct dh_spool *s);

void dh_spool_put(struct dh_spool *s, uint32_t thread, const struct dh_raw *at, size_t n);

/* The next record with all of its payload, or NULL at the end. Good until the next
 * call. */
const struct dh_raw *dh_spool_next(struct dh_spool *s);

/* What was read is not needed any more. */
void dh_spool_forget(struct dh_spool *s);

#endif
