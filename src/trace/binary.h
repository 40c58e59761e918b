/* SPDX-License-Identifier: MIT */
/*
 * The binary trace format: a decoder over an input and an encoder into blocks. The
 * numbers are in trace/format.h, the format itself in docs/formats/trace.md. Used by
 * trace/reader.h and trace/writer.h, which add files and the well-formedness check.
 *
 * Not for concurrent use. Both allocate; the decoder never more than one block of the
 * greatest size, plus what the names in the input take.
 */
#ifndef DH_TRACE_BINARY_H
#define DH_TRACE_BINARY_H

#include "base/vec.h"
#include "event/event.h"
#include "trace/bytes.h"
#include "trace/format.h"
#include "trace/input.h"
#include "trace/names.h"

struct ZSTD_DCtx_s;
struct ZSTD_CCtx_s;

/* What the deltas of a thread are taken against: the number of its last target of
 * each kind, and its last location under DH_NAME_SITE. All zero at the start of a
 * block, which is what the block number is kept for. */
struct dh_binary_thread {
	uint64_t block;
	uint32_t last[DH_NAME_KINDS];
};

struct dh_binary_reader {
	struct dh_input *in;	 /* the caller's */
	struct dh_names *names;	 /* the caller's; the names of the input go there */
	const uint8_t *at, *end; /* what is left of the block */
	uint32_t events_left;	 /* in the block */
	uint32_t thread;	 /* of the event before */
	uint32_t counts[DH_NAME_KINDS];
	uint64_t block;	       /* number of the block, from 1 */
	uint64_t block_start;  /* where it begins in the input */
	size_t block_size;     /* bytes to take out of the input when it is done */
	uint64_t events;       /* given so far; in a recording: entries */
	bool recording;	       /* it has blocks of records, not of events */
	bool over;	       /* the end block was seen */
	struct dh_bytes plain; /* the block unpacked */
	struct ZSTD_DCtx_s *zstd;
	struct dh_vec(struct dh_binary_thread) threads;
	struct dh_vec(uint32_t) reach;
	char message[120]; /* what is wrong with the block, after damage */
};

/* Checks the file header, which must begin with the magic as far as it goes. True if
 * all is well. Else r->message says what is wrong, and *damaged whether it is damage
 * or, say, a newer version. r is to be freed in any case. */
bool dh_binary_reader_init(struct dh_binary_reader *r, struct dh_input *in,
			   struct dh_names *names, bool *damaged);
void dh_binary_reader_free(struct dh_binary_reader *r);

/* The next event, but for index and nested: 1, 0 at the end of a complete input, -1
 * where the input is damaged (block, block_start and message tell; not to be called
 * again). ev->reach is good until the next call. */
int dh_binary_next(struct dh_binary_reader *r, struct dh_event *ev);

/* In a recording: goes to the next block of records, which is then [at, end). 1, 0 at the
 * end of a complete input, -1 where it is damaged, as above. */
int dh_binary_next_records(struct dh_binary_reader *r);

/* What was found at `at` is no record: says so. Returns -1. */
int dh_binary_bad_records(struct dh_binary_reader *r, const char *what);

/* Back to the start of the input, with no names known and nothing read; after init. False
 * where it cannot be read again, with the reason in in->error. */
bool dh_binary_reader_rewind(struct dh_binary_reader *r);

/* Takes the bytes of the file as they come. Returns 0 or a negative errno value. */
typedef int dh_binary_sink(void *context, const void *data, size_t n);

/* Numbers in the file are given in the order of first use. */
struct dh_binary_writer {
	dh_binary_sink *sink;
	void *context;
	struct dh_vec(
	    uint32_t) numbers[DH_NAME_KINDS]; /* name -> number in the file + 1 */
	uint32_t counts[DH_NAME_KINDS];	      /* names in the file */
	struct dh_bytes names;		      /* of this block, packed */
	struct dh_bytes body;		      /* its events */
	struct dh_bytes out;
	uint32_t block_names, block_events;
	uint32_t thread; /* of the event before */
	uint64_t block;
	uint64_t events;				/* in the file */
	struct dh_vec(struct dh_binary_thread) threads; /* by number in the file */
	struct ZSTD_CCtx_s *zstd;
};

/* Writes the file header, of a trace or a recording. 0, or what the sink returned. w is
 * to be freed in any case. */
int dh_binary_writer_init(struct dh_binary_writer *w, bool recording,
			  dh_binary_sink *sink, void *context);
void dh_binary_writer_free(struct dh_binary_writer *w);

/* Adds an event. All events come with the same names. 0, what the sink returned, or
 * -E2BIG where the event or a name of it has more bytes than a block. */
int dh_binary_put(struct dh_binary_writer *w, const struct dh_names *names,
		  const struct dh_event *ev);

/* A block of a recording, of so many entries; it has DH_BLOCK_MAX bytes at most. 0, or
 * what the sink returned. */
int dh_binary_put_records(struct dh_binary_writer *w, const struct dh_bytes *plain,
			  uint32_t entries);

/* Hands what was put so far to the sink as a block of its own. */
int dh_binary_flush(struct dh_binary_writer *w);

/* Writes the last block and the end block. */
int dh_binary_finish(struct dh_binary_writer *w);

#endif
