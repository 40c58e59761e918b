/* SPDX-License-Identifier: MIT */
/*
 * Lines of the program's source, for reports and for what patterns look at. Files are
 * read once and kept. Source that is not there, or is no text, is passed over in
 * silence: a report is complete without it.
 *
 * For the tools: one thread, allocates.
 */
#ifndef DH_TRIAGE_EXCERPT_H
#define DH_TRIAGE_EXCERPT_H

#include "base/base.h"

struct dh_excerpts;

struct dh_excerpt_line {
	uint32_t number;  /* from 1 */
	const char *text; /* any bytes but NUL and newline, not ended by a NUL;
			   a line of more than 4096 is cut */
	size_t len;
	bool marked; /* the line that was asked for */
};

struct dh_excerpt {
	size_t len; /* 0: the source is not there */
	struct dh_excerpt_line at[32];
	bool newer; /* the file has changed since the time that was asked about */
};

/* Looks for files as they are named and then, with the longest end of the name that is
 * there, below each of the folders. The array is kept, not copied. */
struct dh_excerpts *dh_excerpts_new(const char *const *folders, size_t count);
void dh_excerpts_free(struct dh_excerpts *e);

/* A line with up to `around` (<= 15) lines before and after it. since: "2026-11-15T..."
 * or NULL. The texts live as long as the excerpts. */
struct dh_excerpt dh_excerpt(struct dh_excerpts *e, const char *file, uint32_t line,
			     uint32_t around, const char *since);

#endif
