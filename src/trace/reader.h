/* SPDX-License-Identifier: MIT */
/*
 * The reader: takes a trace from a file, a pipe or memory, text or binary, and
 * gives its events one by one, checked for well-formedness (trace/check.h). Called
 * by every command that has a TRACE argument, and by the fuzzers.
 *
 *   struct dh_reader *r;
 *   struct dh_event ev;
 *   int got = dh_reader_open(&r, path);
 *   if (!got)
 *           while ((got = dh_reader_next(r, &ev)) > 0)
 *                   use(&ev, dh_reader_names(r));
 *   if (got < 0)
 *           fprintf(stderr, "deadheat: %s\n", dh_reader_error(r));    // exit 2
 *   else if (dh_reader_damage(r))
 *           fprintf(stderr, "deadheat: %s\n", dh_reader_damage(r));   // exit 2, too,
 *                                              // but with the results so far
 *   dh_reader_close(r);
 *
 * Three ways to end:
 *   - the end: next() gives 0, damage() is NULL;
 *   - an error: open() or next() gives a negative number and error() says why. The
 *     input cannot be read or is no well-formed trace. Results are not to be given;
 *   - damage: next() gives 0 after the last good event, and damage() says what was
 *     found where. A binary trace was cut short or hurt; all events before that
 *     place came, and they stand.
 *
 * Not for concurrent use. Allocates. Memory in use is bounded by the size of the
 * names in the trace, of one line or block, and by the limits of trace/check.h on
 * what may be open at one time.
 */
#ifndef DH_TRACE_READER_H
#define DH_TRACE_READER_H

#include "event/event.h"
#include "trace/format.h"
#include "trace/names.h"

struct dh_reader;

/* Recordings (record/tape.h) have no events but what those are made of. Who can make them
 * is above this folder: record/replay.h. */
struct dh_binary_reader;
struct dh_reader_events {
	/* Over the blocks of a recording, which can be read again from the start. names
	 * is where names go. Never NULL. */
	void *(*open)(struct dh_binary_reader *blocks, struct dh_names *names);
	/* As dh_binary_next(). */
	int (*next)(void *events, struct dh_event *ev);
	void (*close)(void *events);
};

/* From now on recordings can be opened, too. Before any open; e stays the caller's. */
void dh_reader_understand(const struct dh_reader_events *e);

/* Opens a file, "-" being standard input; the format is told by the first bytes.
 * Returns 0, or a negative errno value. *r is set in any case, so that
 * dh_reader_error() can be asked, and is to be closed in any case. */
int dh_reader_open(struct dh_reader **r, const char *path);

/* The same over len bytes in memory, which must stay as they are until the close.
 * name stands for the file in messages; it is copied. */
int dh_reader_open_memory(struct dh_reader **r, const char *name, const void *data,
			  size_t len);

/* The next event: 1 with *ev filled, 0 at the end, negative on bad input. After 0
 * or a negative result the same is returned again.
 * ev->index counts from 0. ev->nested is set as event.h says. ev->reach points into
 * the reader and is good until the next call: who keeps the event copies it. */
int dh_reader_next(struct dh_reader *r, struct dh_event *ev);

/* What is wrong, after a negative result; else NULL. "FILE:LINE: what" in a text
 * trace, "FILE: event N: what" in a binary one, "FILE: what" where it is the file
 * itself. One line, no newline at its end, without the prefix "deadheat: ". Belongs
 * to the reader. */
const char *dh_reader_error(const struct dh_reader *r);

/* What is damaged, after dh_reader_next() gave 0; NULL where nothing is. "FILE: block
 * N at byte B: what; M events before it were read". Belongs to the reader. */
const char *dh_reader_damage(const struct dh_reader *r);

/* The names seen so far. Belongs to the reader. */
struct dh_names *dh_reader_names(struct dh_reader *r);

/* Which format the input has; after a successful open. */
enum dh_trace_format dh_reader_format(const struct dh_reader *r);

/* Events given so far. */
uint64_t dh_reader_events(const struct dh_reader *r);

/* How far the reader is in the input, in bytes; *total is 0 where the size is not
 * known (a pipe). */
void dh_reader_progress(const struct dh_reader *r, uint64_t *done, uint64_t *total);

/* Frees everything, names included. NULL is passed over. */
void dh_reader_close(struct dh_reader *r);

#endif
