/* SPDX-License-Identifier: MIT */
/*
 * What the text of races (live_text.c) and that of the summary (live_summary.c) share.
 * Names come from the program: control characters in them are shown as '?', so that they
 * cannot play with the terminal.
 */
#ifndef DH_REPORT_LIVE_PAGE_H
#define DH_REPORT_LIVE_PAGE_H

#include "report/live.h"

struct dh_live_page {
	FILE *to;
	const struct dh_live_style *style;
	const struct dh_live_race *race; /* of the summary: NULL */
};

void dh_live_name(const struct dh_live_page *p, const char *text);

/* A file below the folder without it; line and column where they are not 0. */
void dh_live_file(const struct dh_live_page *p, const char *path, uint32_t line,
		  uint32_t column);

/* "s", but for one. */
const char *dh_live_plural(uint64_t n);

#endif
