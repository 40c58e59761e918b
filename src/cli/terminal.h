/* SPDX-License-Identifier: MIT */
/*
 * What reports look like on the way out: whether a stream is a terminal that wants
 * colours, how wide it is, and files that appear whole or not at all. For the
 * subcommands.
 */
#ifndef DH_CLI_TERMINAL_H
#define DH_CLI_TERMINAL_H

#include "trace/output.h"

#include <stdio.h>

enum dh_colour { DH_COLOUR_AUTO, DH_COLOUR_ALWAYS, DH_COLOUR_NEVER };

/* Of --colour. False and a message where it is none of the three. */
bool dh_parse_colour(const char *text, enum dh_colour *colour);

/* AUTO: on a terminal, unless NO_COLOR is set or TERM is dumb. */
bool dh_terminal_colour(FILE *f, enum dh_colour colour);

/* COLUMNS where it is a number, else the terminal's width; 0 where there is no terminal.
 */
unsigned dh_terminal_columns(FILE *f);

/* A report on its way to a file, "-" being standard output. */
struct dh_outfile {
	struct dh_output output;
	const char *path;
	FILE *to;
};

/* Each 0, or DH_EXIT_FAILED after a message. After a failed open there is nothing to
 * close; without keep, the file is as it was before. */
int dh_outfile_open(struct dh_outfile *o, const char *path);
int dh_outfile_close(struct dh_outfile *o, bool keep);

#endif
