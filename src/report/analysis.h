/* SPDX-License-Identifier: MIT */
/*
 * What one pass of `analyze` over a trace found: per engine its races and counters.
 * Filled by the command, written out by one renderer per format. Owns nothing of the
 * trace: names stay with the reader, which must outlive the rendering.
 */
#ifndef DH_REPORT_ANALYSIS_H
#define DH_REPORT_ANALYSIS_H

#include "base/vec.h"
#include "event/race.h"
#include "trace/names.h"

#include <stdio.h>

struct dh_finding_counter {
	const char *name;
	uint64_t value;
};

/* What adds an access to a race. */
struct dh_further {
	size_t of; /* the race's index */
	struct dh_race race;
};

struct dh_engine_result {
	const char *engine;
	struct dh_vec(struct dh_race) races;
	struct dh_vec(struct dh_further) further; /* in the order of the races */
	struct dh_vec(struct dh_finding_counter) counters;
};

struct dh_analysis {
	const char *trace;  /* the file, as the user named it */
	const char *filter; /* or NULL */
	const char *damage; /* what kept the reader from the rest; or NULL */
	const struct dh_names *names;
	uint64_t events;
	struct dh_vec(struct dh_engine_result) engines;
};

void dh_analysis_free(struct dh_analysis *a);

/* One JSON object (docs/formats/analyze.md) and a newline. */
void dh_render_analysis_json(const struct dh_analysis *a, FILE *to);

/* For people; stats adds the counters. colour: escape sequences for a terminal. */
void dh_render_analysis_text(const struct dh_analysis *a, bool stats, bool colour, FILE *to);

#endif
