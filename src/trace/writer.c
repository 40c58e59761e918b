/* SPDX-License-Identifier: MIT */
/* The writer of writer.h: the text printer or the binary encoder over an output. */
#define _GNU_SOURCE /* asprintf */
#include "trace/writer.h"

#include "base/mem.h"
#include "trace/binary.h"
#include "trace/output.h"
#include "trace/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_FULL = 64 << 10 }; /* bytes collected before a write */

struct dh_writer {
	enum dh_trace_format format;
	bool open; /* the output is */
	int status;
	struct dh_output out;
	struct dh_bytes text; /* text: lines not yet written */
	struct dh_binary_writer binary;
	char *path;    /* as in messages */
	char *message; /* NULL while there is none */
};

/* Keeps the first failure, so that it is what error() tells. */
static int result(struct dh_writer *w, int status)
{
	if (DH_LIKELY(!status))
		return 0;
	if (w->status)
		return w->status;
	w->status = status;
	const char *what = status == -E2BIG
			       ? "an event or a name is too long for a binary trace"
			       : strerror(-status);
	if (asprintf(&w->message, "%s: %s", w->path, what) < 0)
		w->message = NULL;
	return status;
}

static int sink(void *context, const void *data, size_t n)
{
	return dh_output_write(context, data, n);
}

int dh_writer_open(struct dh_writer **to, const char *path, enum dh_trace_format format)
{
	struct dh_writer *w = *to = dh_mem_alloc(sizeof *w);
	size_t len = strlen(path) + 1;
	w->format = format;
	w->path = dh_mem_alloc(len);
	memcpy(w->path, path, len);
	int status = dh_output_open(&w->out, path);
	w->open = !status;
	if (!status && format != DH_TRACE_TEXT)
		status = dh_binary_writer_init(&w->binary, format == DH_TRACE_RECORDING,
					       sink, &w->out);
	return result(w, status);
}

static int flush_text(struct dh_writer *w)
{
	int status = dh_output_write(&w->out, w->text.at, w->text.len);
	w->text.len = 0;
	return status;
}

int dh_writer_put(struct dh_writer *w, const struct dh_names *names,
		  const struct dh_event *ev)
{
	if (DH_UNLIKELY(w->status))
		return w->status;
	if (w->format == DH_TRACE_BINARY)
		return result(w, dh_binary_put(&w->binary, names, ev));
	dh_text_append(&w->text, names, ev);
	return w->text.len < TEXT_FULL ? 0 : result(w, flush_text(w));
}

int dh_writer_put_records(struct dh_writer *w, const struct dh_bytes *plain,
			  uint32_t entries)
{
	return w->status ? w->status
			 : result(w, dh_binary_put_records(&w->binary, plain, entries));
}

int dh_writer_finish(struct dh_writer *w)
{
	if (w->status)
		return w->status;
	int status =
	    w->format == DH_TRACE_TEXT ? flush_text(w) : dh_binary_finish(&w->binary);
	if (!status) {
		w->open = false;
		status = dh_output_close(&w->out, true);
	}
	return result(w, status);
}

const char *dh_writer_error(const struct dh_writer *w)
{
	if (!w->status)
		return NULL;
	return w->message ? w->message : "out of memory";
}

void dh_writer_close(struct dh_writer *w)
{
	if (!w)
		return;
	if (w->open)
		dh_output_close(&w->out, false);
	dh_vec_free(&w->text);
	dh_binary_writer_free(&w->binary);
	free(w->message);
	dh_mem_free(w->path, strlen(w->path) + 1);
	dh_mem_free(w, sizeof *w);
}
