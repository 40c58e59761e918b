/* SPDX-License-Identifier: MIT */
/*
 * A recording as a file: what a program has handed over (drain.h), in order, packed into
 * blocks of a binary trace (docs/formats/trace.md, "Records block"). Nothing is looked up
 * and nothing left out: which events that makes is found out by who reads it (replay.h).
 *
 * One thread. Memory goes with the number of places in the code and of threads.
 */
#ifndef DH_RECORD_TAPE_H
#define DH_RECORD_TAPE_H

#include "base/map.h"
#include "base/vec.h"
#include "trace/binary.h"
#include "trace/ring.h"
#include "trace/writer.h"

/* What begins an entry, as a number; from DH_TAPE_HEADS on it is a record whose head was
 * there before, by the number that it then got. */
enum dh_tape_entry {
	DH_TAPE_THREAD, /* what follows is of another thread */
	DH_TAPE_RUN,	/* records that came as foreseen */
	DH_TAPE_NEW,	/* a record with a head that gets the next number */
	DH_TAPE_HEADS,
};

enum {
	DH_TAPE_NEAR = 1024,
	DH_TAPE_THREAD_MAX = 1 << 24, /* no program has a thread with a greater number */
};

struct dh_tape {
	struct dh_writer *writer; /* the caller's, of a recording */
	int status;		  /* 0, or a negative errno value: the first failure */
	struct dh_bytes block;
	uint32_t entries;	      /* in it */
	uint64_t passed;	      /* bytes of blocks before it */
	struct dh_map heads;	      /* head -> number */
	struct dh_vec(uint64_t) last; /* by number: the last object */
	struct {
		uint64_t head;
		uint32_t number;
	} near[DH_TAPE_NEAR]; /* heads used lately */
	uint32_t thread;      /* of what was written last */
	uint64_t run;	      /* of that thread, not yet written */
	struct dh_map threads;
	uint64_t records; /* with those of runs */
};

void dh_tape_init(struct dh_tape *t, struct dh_writer *writer);
void dh_tape_free(struct dh_tape *t);

/* Records of a thread with their payload, runs among them. */
void dh_tape_put(struct dh_tape *t, uint32_t thread, const struct dh_raw *at, size_t n);

/* Bytes so far, before they are compressed, and threads that had a record. */
uint64_t dh_tape_size(const struct dh_tape *t);
uint64_t dh_tape_threads(const struct dh_tape *t);

/* All was put: finishes the file. 0, or a negative errno value. */
int dh_tape_finish(struct dh_tape *t);

/* ---- reading ---- */

struct dh_tape_reader {
	struct dh_binary_reader *blocks;     /* the caller's */
	struct dh_vec(struct dh_raw) heads;  /* by number; object: the last */
	struct dh_vec(struct dh_raw) record; /* the one that was given */
	uint32_t thread;
	bool damaged; /* and blocks->message says how */
};

void dh_tape_reader_init(struct dh_tape_reader *t, struct dh_binary_reader *blocks);
void dh_tape_reader_free(struct dh_tape_reader *t);

/* The next record with its payload, or a run; *thread is whose it is. Good until the next
 * call. NULL at the end, or where the file is damaged. */
const struct dh_raw *dh_tape_next(struct dh_tape_reader *t, uint32_t *thread);

#endif
