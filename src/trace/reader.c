/* SPDX-License-Identifier: MIT */
/*
 * The reader of reader.h: opens the input, tells the format by its first bytes, and
 * puts what the parser or the decoder finds through the check.
 */
#define _GNU_SOURCE /* asprintf */
#include "trace/reader.h"

#include "base/mem.h"
#include "trace/binary.h"
#include "trace/check.h"
#include "trace/input.h"
#include "trace/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum state { READING, ENDED, FAILED };

struct dh_reader {
	enum state state;
	int failure; /* what next() returns once it has failed */
	enum dh_trace_format format;
	uint64_t events;
	uint64_t line; /* text: the line that was read last, from 1 */
	struct dh_input in;
	struct dh_names *names;
	struct dh_check check;
	struct dh_text_parser text;
	struct dh_binary_reader binary;
	void *events_of; /* a recording: who makes them; else NULL */
	int fd;		 /* to be closed, or -1 */
	char *path;	 /* as in messages */
	char *message;	 /* of an error or of damage; NULL while there is none */
};

static const struct dh_reader_events *recordings; /* NULL: not understood */

void dh_reader_understand(const struct dh_reader_events *e)
{
	recordings = e;
}

/* --- how it ends --- */

static DH_COLD void say(struct dh_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static DH_COLD void say(struct dh_reader *r, const char *format, ...)
{
	char what[512];
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	if (asprintf(&r->message, "%s%s", r->path, what) < 0)
		r->message = NULL;
}

static DH_COLD int failed(struct dh_reader *r, int code)
{
	r->state = FAILED;
	r->failure = code;
	return code;
}

static DH_COLD int failed_io(struct dh_reader *r, int error)
{
	say(r, ": %s", strerror(error));
	return failed(r, -error);
}

static DH_COLD int failed_check(struct dh_reader *r)
{
	if (r->format == DH_TRACE_TEXT)
		say(r, ":%" PRIu64 ": %s", r->line, r->check.message);
	else
		say(r, ": event %" PRIu64 ": %s", r->events, r->check.message);
	return failed(r, -EINVAL);
}

/* What a file is that is known to be no trace, or NULL. */
static const char *other_file(const char *p, size_t n)
{
	static const struct {
		const char *magic;
		size_t len;
		const char *what;
	} kinds[] = {
	    {"\x1f\x8b", 2, "a gzip file: unpack it first"},
	    {"\x28\xb5\x2f\xfd", 4, "a zstd file: unpack it first"},
	    {"\xfd\x37zXZ", 5, "an xz file: unpack it first"},
	    {"BZh", 3, "a bzip2 file: unpack it first"},
	    {"PK\x03\x04", 4, "a zip file: unpack it first"},
	    {"\x7f\x45LF", 4, "a program"},
	};
	for (size_t i = 0; i < DH_ARRAY_LEN(kinds); i++)
		if (n >= kinds[i].len && memcmp(p, kinds[i].magic, kinds[i].len) == 0)
			return kinds[i].what;
	return NULL;
}

static DH_COLD int failed_line(struct dh_reader *r, const char *line, size_t len)
{
	const char *other = r->line == 1 ? other_file(line, len) : NULL;
	if (other)
		say(r, ":1: malformed line: no trace but %s", other);
	else
		say(r, ":%" PRIu64 ": %s", r->line, r->text.message);
	return failed(r, -EINVAL);
}

/* --- text --- */

/* The next line in *line, *len bytes without the newline, and in *size what it takes
 * in the input. False at the end. */
static bool next_line(struct dh_input *in, const char **line, size_t *len, size_t *size)
{
	size_t seen = 0;
	for (;;) {
		size_t have = dh_input_have(in);
		const char *newline =
		    have > seen ? memchr(in->at + seen, '\n', have - seen) : NULL;
		if (newline) {
			*len = (size_t)(newline - in->at);
			*size = *len + 1;
			break;
		}
		if (in->eof) {
			*len = *size = have;
			if (have == 0)
				return false;
			break;
		}
		seen = have;
		dh_input_want(in, have + 1);
	}
	*line = in->at;
	return true;
}

static int next_text(struct dh_reader *r, struct dh_event *ev)
{
	const char *line;
	size_t len, size;
	while (next_line(&r->in, &line, &len, &size)) {
		r->line++;
		int got = dh_text_parse(&r->text, line, len, ev);
		if (DH_UNLIKELY(got < 0))
			return failed_line(r, line, len);
		dh_input_take(&r->in, size);
		if (got > 0)
			return 1;
	}
	return 0;
}

/* --- both --- */

static DH_COLD int damaged(struct dh_reader *r)
{
	const struct dh_binary_reader *b = &r->binary;
	say(r,
	    ": block %" PRIu64 " at byte %" PRIu64 ": %s; %" PRIu64
	    " events before it were read",
	    b->block, b->block_start, b->message, r->events);
	r->state = ENDED;
	return 0;
}

static DH_COLD int ended(struct dh_reader *r, int got)
{
	if (r->state == FAILED)
		return r->failure;
	if (r->in.error)
		return failed_io(r, r->in.error);
	if (got < 0)
		return damaged(r);
	r->state = ENDED;
	return 0;
}

int dh_reader_next(struct dh_reader *r, struct dh_event *ev)
{
	bool text = r->format == DH_TRACE_TEXT;
	if (DH_UNLIKELY(r->state != READING))
		return r->state == ENDED ? 0 : r->failure;
	int got = text		 ? next_text(r, ev)
		  : r->events_of ? recordings->next(r->events_of, ev)
				 : dh_binary_next(&r->binary, ev);
	if (DH_UNLIKELY(got <= 0))
		return ended(r, got);
	if (DH_UNLIKELY(!dh_check_event(&r->check, ev, text ? r->line : r->events)))
		return failed_check(r);
	ev->index = r->events++;
	return 1;
}

/* --- opening and closing --- */

static struct dh_reader *reader_new(const char *path)
{
	struct dh_reader *r = dh_mem_alloc(sizeof *r);
	size_t len = strlen(path) + 1;
	r->fd = -1;
	r->path = dh_mem_alloc(len);
	memcpy(r->path, path, len);
	r->names = dh_names_new();
	return r;
}

static int start_recording(struct dh_reader *r)
{
	if (!recordings) {
		say(r, ": a recording, which this program does not read");
		return failed(r, -EPROTONOSUPPORT);
	}
	if (dh_input_keep(&r->in))
		r->events_of = recordings->open(&r->binary, r->names);
	return r->in.error ? failed_io(r, r->in.error) : 0;
}

static int start_binary(struct dh_reader *r)
{
	bool hurt;
	r->format = DH_TRACE_BINARY;
	dh_check_init(&r->check, r->names, "event");
	if (dh_binary_reader_init(&r->binary, &r->in, r->names, &hurt))
		return r->binary.recording ? start_recording(r) : 0;
	if (r->in.error)
		return failed_io(r, r->in.error);
	if (!hurt) {
		say(r, ": %s", r->binary.message);
		return failed(r, -EPROTONOSUPPORT);
	}
	say(r, ": header at byte 0: %s; 0 events before it were read", r->binary.message);
	r->state = ENDED;
	return 0;
}

static int start(struct dh_reader *r)
{
	size_t have = dh_input_want(&r->in, DH_TRACE_MAGIC_SIZE);
	if (r->in.error)
		return failed_io(r, r->in.error);
	if (have > 0 &&
	    memcmp(r->in.at, DH_TRACE_MAGIC, DH_MIN(have, DH_TRACE_MAGIC_SIZE)) == 0)
		return start_binary(r);
	/* No line of text can begin so, but a file after a change of line ends does. */
	if (have >= 5 && memcmp(r->in.at, DH_TRACE_MAGIC, 4) == 0 &&
	    (r->in.at[4] == '\r' || r->in.at[4] == '\n')) {
		say(r,
		    ": a binary trace whose first bytes were changed, as by a transfer "
		    "in text mode");
		return failed(r, -EINVAL);
	}
	r->format = DH_TRACE_TEXT;
	dh_text_parser_init(&r->text, r->names);
	dh_check_init(&r->check, r->names, "line");
	return 0;
}

int dh_reader_open(struct dh_reader **to, const char *path)
{
	struct dh_reader *r = *to = reader_new(path);
	int fd = STDIN_FILENO;
	if (strcmp(path, "-") != 0) {
		fd = r->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return failed_io(r, errno);
	}
	dh_input_open_fd(&r->in, fd);
	return start(r);
}

int dh_reader_open_memory(struct dh_reader **to, const char *name, const void *data,
			  size_t len)
{
	struct dh_reader *r = *to = reader_new(name);
	dh_input_open_memory(&r->in, data, len);
	return start(r);
}

void dh_reader_close(struct dh_reader *r)
{
	if (!r)
		return;
	if (r->events_of)
		recordings->close(r->events_of);
	dh_check_free(&r->check);
	dh_text_parser_free(&r->text);
	dh_binary_reader_free(&r->binary);
	dh_input_close(&r->in);
	dh_names_free(r->names);
	if (r->fd >= 0)
		close(r->fd);
	free(r->message);
	dh_mem_free(r->path, strlen(r->path) + 1);
	dh_mem_free(r, sizeof *r);
}

/* --- questions --- */

const char *dh_reader_error(const struct dh_reader *r)
{
	if (r->state != FAILED)
		return NULL;
	return r->message ? r->message : "out of memory";
}

const char *dh_reader_damage(const struct dh_reader *r)
{
	return r->state == ENDED ? r->message : NULL;
}

struct dh_names *dh_reader_names(struct dh_reader *r)
{
	return r->names;
}

enum dh_trace_format dh_reader_format(const struct dh_reader *r)
{
	return r->format;
}

uint64_t dh_reader_events(const struct dh_reader *r)
{
	return r->events;
}

void dh_reader_progress(const struct dh_reader *r, uint64_t *done, uint64_t *total)
{
	*done = r->in.passed;
	*total = r->in.total;
}
