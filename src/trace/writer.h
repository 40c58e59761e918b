/* SPDX-License-Identifier: MIT */
/*
 * The writer: puts events into a trace file, text or binary. The file appears under
 * its name only when it is complete (trace/output.h).
 *
 *   struct dh_writer *w;
 *   int status = dh_writer_open(&w, path, DH_TRACE_BINARY);
 *   while (!status && (there is an event))
 *           status = dh_writer_put(w, names, &ev);
 *   if (!status)
 *           status = dh_writer_finish(w);
 *   if (status)
 *           fprintf(stderr, "deadheat: %s\n", dh_writer_error(w));
 *   dh_writer_close(w);
 *
 * Not for concurrent use. Allocates.
 */
#ifndef DH_TRACE_WRITER_H
#define DH_TRACE_WRITER_H

#include "event/event.h"
#include "trace/bytes.h"
#include "trace/format.h"
#include "trace/names.h"

struct dh_writer;

/* "-" is standard output. Returns 0, or a negative errno value. *w is set in any
 * case, so that dh_writer_error() can be asked, and is to be closed in any case. */
int dh_writer_open(struct dh_writer **w, const char *path, enum dh_trace_format format);

/* Adds an event; all of a file come with the same names. Events are taken as they
 * are; the reader will want them well formed. 0, or a negative errno value: -E2BIG
 * where an event or a name is too long for the binary format. */
int dh_writer_put(struct dh_writer *w, const struct dh_names *names,
		  const struct dh_event *ev);

/* Of a recording: a block of packed records (record/tape.h), in place of events. */
int dh_writer_put_records(struct dh_writer *w, const struct dh_bytes *plain,
			  uint32_t entries);

/* Writes what is left and gives the file its name. 0, or a negative errno value (a
 * full disk, for one); then there is no file. */
int dh_writer_finish(struct dh_writer *w);

/* "FILE: what", after a failure; else NULL. Belongs to the writer. */
const char *dh_writer_error(const struct dh_writer *w);

/* Frees everything. A file that was not finished is thrown away. NULL is passed
 * over. */
void dh_writer_close(struct dh_writer *w);

#endif
