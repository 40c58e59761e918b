/* SPDX-License-Identifier: MIT */
/* Files of findings that are named on the command line. For the subcommands. */
#ifndef DH_CLI_READING_H
#define DH_CLI_READING_H

#include "triage/findings.h"

/* Adds what the files have to a set. Reports are taken where `reports` is set, and
 * refused where not: a report is no finding. 0, or DH_EXIT_USAGE after a message. A file
 * whose last line was cut short is told of, all of it that can be read is taken, and *cut
 * is set. */
int dh_read_findings(struct dh_findings *to, const char *const *files, size_t count,
		     bool reports, bool *cut);

#endif
