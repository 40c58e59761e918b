/* SPDX-License-Identifier: MIT */
/*
 * Names: the strings of a trace (threads, variables, locks, ..., code locations)
 * and their numbers. Each kind has its own numbering, dense from 0, in the order of
 * first appearance. Filled by the readers, asked by the writers, the text printer
 * and whoever shows events to a person.
 *
 * Location 0 (DH_SITE_NONE) is the empty one and is there from the start.
 *
 * Texts end with a NUL byte that does not belong to them, never move, and live as
 * long as the table. A name may itself have NUL bytes inside: who must not lose
 * anything asks for the length too.
 *
 * Not for concurrent use; reading alone from several threads is fine. Allocates.
 */
#ifndef DH_TRACE_NAMES_H
#define DH_TRACE_NAMES_H

#include "event/event.h"

struct dh_names;

struct dh_names *dh_names_new(void);
void dh_names_free(struct dh_names *n);

/* The number of a name, a new one where it was not there yet. The text is copied
 * and need not end with a NUL. */
uint32_t dh_names_intern(struct dh_names *n, enum dh_name_kind kind, const char *text,
			 size_t len);

/* Finds without adding: true and the number in *id, or false. */
bool dh_names_find(const struct dh_names *n, enum dh_name_kind kind, const char *text,
		   size_t len, uint32_t *id);

/* The text of a number below the count of its kind. */
const char *dh_names_text(const struct dh_names *n, enum dh_name_kind kind, uint32_t id);

/* Its length in bytes. */
size_t dh_names_length(const struct dh_names *n, enum dh_name_kind kind, uint32_t id);

/* How many names of a kind there are; their numbers are all those below it. */
uint32_t dh_names_count(const struct dh_names *n, enum dh_name_kind kind);

/* 1 for the bytes that no name has: white space and | ( ) , = : (a location may have
 * them, but for '|'). */
extern const uint8_t dh_names_stop[256];

/* May this text be a name of this kind? A location is anything without '|', newline
 * and a carriage return at its end. Any other name is not empty and has none
 * of the bytes above. */
bool dh_names_allowed(enum dh_name_kind kind, const char *text, size_t len);

#endif
