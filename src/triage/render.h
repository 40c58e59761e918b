/* SPDX-License-Identifier: MIT */
/*
 * The forms of a report, one file each (render_causes_*.c). Each writes the whole report
 * to a stream and leaves errors of the stream to the caller, who looks at ferror.
 * Everything that comes from the program is made harmless for the format.
 */
#ifndef DH_TRIAGE_RENDER_H
#define DH_TRIAGE_RENDER_H

#include "triage/cause.h"
#include "triage/excerpt.h"

struct dh_render_options {
	struct dh_excerpts *excerpts; /* never NULL */
	const char *folder; /* names of files below it are shown without it; or NULL */
	bool details;	    /* text: all of each cause, and not one line */
	bool colour;	    /* text */
	unsigned columns;   /* text: width of the terminal; 0: not one */
	unsigned context;   /* lines of source before and after a racing one */
	const struct dh_cause *only; /* text, json: this one alone; or NULL */
};

typedef void dh_render_fn(FILE *to, const struct dh_causes *c,
			  const struct dh_render_options *o);

dh_render_fn dh_render_causes_text;
dh_render_fn dh_render_causes_json; /* docs/formats/report.md */

/* A path as a report shows it: without the folder. Never NULL. */
const char *dh_render_path(const struct dh_render_options *o, const char *file);

#endif
