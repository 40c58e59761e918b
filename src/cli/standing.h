/* SPDX-License-Identifier: MIT */
/*
 * Which races of a running process count: those that no suppression matches and that are
 * not in the baseline. Used by the helper process, which has the names that this takes,
 * and by `deadheat run` to check the files first. One thread.
 */
#ifndef DH_CLI_STANDING_H
#define DH_CLI_STANDING_H

#include "report/live.h"

struct dh_standing;

/* Reads the files that the process was given. What is wrong with them is said on standard
 * error, and nothing of that file counts. The program's own suppressions come after. */
struct dh_standing *dh_standing_new(const struct dh_live_hello *h);
void dh_standing_free(struct dh_standing *v);

/* Does the race count? Else says in it why not. further: it was to add to a finding that
 * does not; where the race itself does, it is a finding. */
bool dh_standing_judge(struct dh_standing *v, const struct dh_live_hello *h,
		       struct dh_live_race *r, bool further);

/* The same of one that adds to a finding which counts already: its places may be told. */
bool dh_standing_judge_further(struct dh_standing *v, const struct dh_live_hello *h,
			       struct dh_live_race *r);

/* How many have so far. */
uint64_t dh_standing_count(const struct dh_standing *v);

/* Puts into the summary what was passed over. */
void dh_standing_end(struct dh_standing *v, struct dh_live_end *e);

/* 0, or the exit status after a message where one of the files ("" for none) is no good.
 */
int dh_standing_check(const char *suppressions, const char *baseline);

#endif
