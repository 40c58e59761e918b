/* SPDX-License-Identifier: MIT */
/* What pattern.c and pattern_source.c share. */
#ifndef DH_TRIAGE_PATTERN_INTERNAL_H
#define DH_TRIAGE_PATTERN_INTERNAL_H

#include "triage/line.h"
#include "triage/names.h"
#include "triage/pattern.h"

/* One access and the line it is on. */
struct dh_pattern_side {
	const struct dh_finding_access *access;
	const struct dh_finding_frame *frame; /* the innermost own one; NULL: none */
	struct dh_excerpt excerpt;	      /* around it */
	const struct dh_excerpt_line *line;   /* in the excerpt; NULL: not readable */
	unsigned uses;			      /* of the name, enum dh_line_use */
	struct dh_line_word constant;	      /* that is assigned */
};

struct dh_pattern_view {
	const struct dh_finding *finding;
	struct dh_pool *pool;
	struct dh_pattern_side first, second;
	struct dh_line_word name; /* what the lines call the object; none: not known */
	struct dh_name object;	  /* its text, where it is the object's own */
	const struct dh_finding_access *holder, *bare; /* results of missing_lock */
};

/* Fills in the two sides and the name. */
void dh_pattern_look(struct dh_pattern_view *v, struct dh_excerpts *excerpts);

/* Each the reason for a pattern, as text of the pool; NULL: it is not there. */
const char *dh_pattern_double_checked(const struct dh_pattern_view *v);
const char *dh_pattern_publication(const struct dh_pattern_view *v);
const char *dh_pattern_lazy_init(const struct dh_pattern_view *v);
const char *dh_pattern_flag(const struct dh_pattern_view *v);
const char *dh_pattern_counter_source(const struct dh_pattern_view *v);
const char *dh_pattern_same_source(const struct dh_pattern_view *v);

/* A sentence, as text of the pool. */
const char *dh_pattern_say(struct dh_pool *pool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The function that an access is in, as names.h has it; "?" where it is not known. */
const char *dh_pattern_function(const struct dh_finding_access *a, struct dh_name *name);

#endif
