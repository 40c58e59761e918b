/* SPDX-License-Identifier: MIT */
/*
 * A prediction written out: as JSON (docs/formats/predict.md) and for people, with each
 * schedule in columns, one for each thread. Names belong to the reader, which must
 * outlive the rendering. One thread.
 */
#ifndef DH_PREDICT_RENDER_H
#define DH_PREDICT_RENDER_H

#include "predict/predict.h"
#include "trace/names.h"

#include <stdio.h>

struct dh_predict_page {
	const char *trace;  /* the file, as the user named it */
	const char *damage; /* what kept the reader from the rest; or NULL */
	const struct dh_names *names;
	const struct dh_predict_config *config;
	const struct dh_prediction *result;
	bool whole_witness; /* JSON: all event numbers, not those of the window alone */
	bool stats;	    /* text: the counters */
	bool colour;	    /* text: escape sequences for a terminal */
};

/* One JSON object and a newline. */
void dh_render_prediction_json(const struct dh_predict_page *p, FILE *to);

void dh_render_prediction_text(const struct dh_predict_page *p, FILE *to);

#endif
