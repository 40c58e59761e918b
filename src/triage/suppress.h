/* SPDX-License-Identifier: MIT */
/*
 * Findings that are known and not to be reported: the rules of suppression files
 * (docs/formats/suppressions.md), ThreadSanitizer's as they are and narrower ones.
 *
 *   struct dh_suppressions *s = dh_suppress_new();
 *   if (dh_suppress_read(s, path) < 0) complain(dh_suppress_error(s));
 *   const struct dh_suppress_rule *r = dh_suppress_match(s, finding);
 *
 * For the tools: one thread, allocates.
 */
#ifndef DH_TRIAGE_SUPPRESS_H
#define DH_TRIAGE_SUPPRESS_H

#include "base/map.h"
#include "triage/finding.h"

#include <stdio.h>

struct dh_suppressions;

struct dh_suppress_rule {
	const char *text; /* "race:foo" */
	const char *file; /* what it came from, as messages call it */
	uint32_t line;	  /* from 1 */
	uint64_t used;	  /* findings that it has matched */
	const char *idle; /* why it can never match one; NULL where it can */
	bool elsewhere;	  /* the runtime applies it: whether it was used is not known */
};

struct dh_suppressions *dh_suppress_new(void);
void dh_suppress_free(struct dh_suppressions *s);

/* Adds the rules of a file, or of a text that messages call by that name. -1 where the
 * file cannot be read or a line is no rule; then none of it are added, and
 * dh_suppress_error() says what is wrong: "FILE:LINE: ...". */
int dh_suppress_read(struct dh_suppressions *s, const char *path);
int dh_suppress_parse(struct dh_suppressions *s, const char *text, const char *name);
const char *dh_suppress_error(const struct dh_suppressions *s);

/* The first rule that the finding falls under, counted as used; NULL where there is none.
 */
const struct dh_suppress_rule *dh_suppress_match(struct dh_suppressions *s,
						 const struct dh_finding *f);

size_t dh_suppress_count(const struct dh_suppressions *s);
const struct dh_suppress_rule *dh_suppress_at(const struct dh_suppressions *s, size_t i);

/* A line that would suppress this finding and little else, unless it was written before:
 * `seen` knows, and is empty at first. */
void dh_suppress_suggest(const struct dh_finding *f, struct dh_map *seen, FILE *to);

#endif
