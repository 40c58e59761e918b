/* SPDX-License-Identifier: MIT */
/*
 * `deadheat run --predict`: records a run, looks for races in the trace in three ways
 * (what the run left unordered, what locks kept apart by luck, what another order of its
 * events would have had), and reports all of it as one list.
 */
#ifndef DH_CLI_PREDICTING_H
#define DH_CLI_PREDICTING_H

#include "runtime/flags.h"

#include <stdbool.h>

/* Of the options log, json, suppressions, baseline, quiet, colour, exit_code, fail_on,
 * missing and no_missing have their meaning. trace: where the trace is kept; NULL: it is
 * not. Returns the exit status: the program's own, or exit_code where there are
 * findings. */
int dh_predicting_run(const struct dh_flags *flags, const char *trace, int argc,
		      char **argv);

#endif
