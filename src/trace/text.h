/* SPDX-License-Identifier: MIT */
/*
 * The text trace format, one line at a time: THREAD|OP(ARG)|LOC. See
 * docs/formats/text-trace.md. Lines are found by the reader; what one line cannot
 * show (a lock that is not held, ...) is the matter of trace/check.h.
 *
 * Not for concurrent use. Allocates.
 */
#ifndef DH_TRACE_TEXT_H
#define DH_TRACE_TEXT_H

#include "base/vec.h"
#include "event/event.h"
#include "trace/bytes.h"
#include "trace/names.h"

#include <stdio.h>

struct dh_text_parser {
	struct dh_names *names; /* the caller's; new names go there */
	struct dh_vec(uint32_t) reach;
	char message[240]; /* what is wrong, after a failure */
};

void dh_text_parser_init(struct dh_text_parser *p, struct dh_names *names);
void dh_text_parser_free(struct dh_text_parser *p);

/* Parses a line, given without its newline; carriage returns at its end are passed
 * over. Returns 1 with *ev filled but for index and nested, 0 for a line without an
 * event, -1 for a malformed one. ev->reach is good until the next call. */
int dh_text_parse(struct dh_text_parser *p, const char *line, size_t len,
		  struct dh_event *ev);

/* Appends the event's line with its newline. */
void dh_text_append(struct dh_bytes *to, const struct dh_names *names,
		    const struct dh_event *ev);

/* Writes the event's line with its newline; failures are left in the stream. */
void dh_text_print(FILE *to, const struct dh_event *ev, const struct dh_names *names);

#endif
