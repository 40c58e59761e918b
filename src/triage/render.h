/* SPDX-License-Identifier: MIT */
/*
 * The forms of a report, one file or a few each (render_*.c). Each writes the whole
 * report to a stream and leaves errors of the stream to the caller, who looks at ferror.
 * Everything that comes from the program is made harmless for the format.
 */
#ifndef DH_TRIAGE_RENDER_H
#define DH_TRIAGE_RENDER_H

#include "triage/cause.h"
#include "triage/excerpt.h"

struct dh_render_options {
	struct dh_excerpts *excerpts; /* never NULL */
	const char *folder; /* names of files below it are shown without it; or NULL */
	const struct dh_cause *only; /* this one alone; NULL: all */
	const struct dh_causes *suppressed; /* sarif, html: to be shown as such; or NULL */
	unsigned context; /* lines of source before and after a racing one, <= 15 */
	int status;	  /* sarif: what the command will exit with */
	/* text only */
	bool details; /* all of each cause, and not a few lines */
	bool colour;
	unsigned columns; /* width of the terminal; 0: there is none */
};

typedef void dh_render_fn(FILE *to, const struct dh_causes *c,
			  const struct dh_render_options *o);

dh_render_fn dh_render_causes_text;
dh_render_fn dh_render_causes_json;  /* docs/formats/report.md */
dh_render_fn dh_render_causes_sarif; /* docs/formats/sarif.md */
dh_render_fn dh_render_causes_html;

/* The text form of diff: what is new in c, what of the old is gone, and what is still
 * there. Each set was made with the other as its baseline. */
void dh_render_diff_text(FILE *to, const struct dh_causes *c, const struct dh_causes *old,
			 const struct dh_render_options *o);
void dh_render_diff_json(FILE *to, const struct dh_causes *c, const struct dh_causes *old,
			 const struct dh_render_options *o);

/* What a diff calls them: for causes of the new set the first two, of the old the third.
 */
bool dh_cause_is_new(const struct dh_cause *c);
bool dh_cause_is_still(const struct dh_cause *c);
bool dh_cause_is_gone(const struct dh_cause *c);

/* A path as a report shows it: without the folder. NULL for NULL. */
const char *dh_render_path(const struct dh_render_options *o, const char *file);

#endif
