/* SPDX-License-Identifier: MIT */
/* Suppression files that are named on the command line, and findings that fall under
 * them. For the subcommands. */
#ifndef DH_CLI_RULES_H
#define DH_CLI_RULES_H

#include "triage/findings.h"
#include "triage/suppress.h"

/* Takes out of the set what the rules of the files match, and what was suppressed when it
 * was found; says on standard error how many that were, and which rules were not used.
 * marked: the caller shows them all the same. After dh_findings_turn each has its rule.
 * 0, or DH_EXIT_USAGE after a message. */
int dh_rules_apply(struct dh_findings *found, const char *const *files, size_t count,
		   bool marked);

/* Writes a rule for each finding that is left, each line once. */
void dh_rules_suggest(const struct dh_findings *found, FILE *to);

#endif
