/* SPDX-License-Identifier: MIT */
/*
 * For the tests of the trace formats: a trace read to its end and kept whole, turned
 * into either format in memory, and random well-formed traces. Well-formedness is
 * judged here by a model of its own that goes over all events so far each time.
 */
#ifndef DH_TESTS_TRACE_KIT_H
#define DH_TESTS_TRACE_KIT_H

#include "dice.h"
#include "event/event.h"
#include "trace/bytes.h"
#include "trace/reader.h"

/* What came out of an input. Events have reach lists of their own. */
struct kit {
	struct dh_reader *reader;
	struct dh_vec(struct dh_event) events;
	int result; /* of the last dh_reader_next(), or of the open */
};

void kit_read(struct kit *k, const void *data, size_t len);
void kit_read_text(struct kit *k, const char *text);
void kit_read_file(struct kit *k, const char *path);
void kit_close(struct kit *k);

/* All of the kit's events in a format; the bytes are the caller's to free. */
struct dh_bytes kit_as(const struct kit *k, enum dh_trace_format format);

/* Fails unless a's first n events, n being those of b, are b's, names included. */
void kit_expect_prefix(const struct kit *a, const struct kit *b);

/* Reads the text and fails unless it is refused with this message, or accepted where
 * the message is NULL. */
void kit_expect_error(const char *text, const char *message);

/* The model: the events so far. Zero is empty. */
struct model {
	struct dh_vec(struct dh_event) events;
};

/* May this event come next? Sets ev->nested if so. */
bool model_allows(const struct model *m, struct dh_event *ev);
void model_add(struct model *m, const struct dh_event *ev);
void model_free(struct model *m);

/* A random event over a few names, in no way sure to be allowed. Reach lists are not
 * made here. */
struct dh_event model_guess(struct dice *d);

/* n random events, well formed, as text. */
struct dh_bytes kit_random(struct dice *d, unsigned n);

#endif
