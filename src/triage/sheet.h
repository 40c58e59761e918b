/* SPDX-License-Identifier: MIT */
/*
 * Lines for a terminal, gathered before they are printed, so that two sheets can be put
 * next to each other. Text is made safe (report/safe.h) when it is added. A character is
 * taken to be one column wide.
 *
 * For the tools: one thread, allocates. Zero-initialised is empty.
 */
#ifndef DH_TRIAGE_SHEET_H
#define DH_TRIAGE_SHEET_H

#include "base/vec.h"

#include <stdio.h>

enum dh_style {
	DH_STYLE_PLAIN,
	DH_STYLE_BOLD,
	DH_STYLE_DIM,
	DH_STYLE_MARK,
	DH_STYLE_RED
};

struct dh_sheet_line {
	enum dh_style style;
	size_t from, len; /* in the text */
};

struct dh_sheet {
	struct dh_vec(struct dh_sheet_line) lines;
	struct dh_vec(char) text;
};

void dh_sheet_add(struct dh_sheet *s, enum dh_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Each line after `indent` blanks. Prints and empties the sheet. */
void dh_sheet_print(struct dh_sheet *s, unsigned indent, bool colour, FILE *to);

/* The two next to each other, each `width` columns wide; what is longer goes on in the
 * next line. Prints and empties both. */
void dh_sheet_print_both(struct dh_sheet *left, struct dh_sheet *right, unsigned indent,
			 unsigned width, bool colour, FILE *to);

void dh_sheet_free(struct dh_sheet *s);

#endif
