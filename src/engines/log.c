/* SPDX-License-Identifier: MIT */
/*
 * The log of MultiRace (section 3.2.1) and nothing else: of each time frame the first read
 * and the first write of a thread on a variable are put into its access history, as for
 * `djit` and `multirace`, and nobody looks at them. What those two cost beyond this one is
 * detection.
 */
#include "engines/history.h"

struct log {
	struct dh_engine engine;
	uint64_t first_accesses, repeats;
};

static void access(struct dh_engine *e, struct dh_thread *t, void *cell,
		   const struct dh_access *a)
{
	struct log *l = (struct log *)e;
	*(dh_history_log(cell, t, a) ? &l->first_accesses : &l->repeats) += 1;
}

static const struct dh_counter counters[] = {
    {"first_accesses", offsetof(struct log, first_accesses)},
    {"repeats", offsetof(struct log, repeats)},
    {NULL, 0},
};

extern const struct dh_engine_ops dh_engine_log;
const struct dh_engine_ops dh_engine_log = {
    .name = "log",
    .summary = "the access log of MultiRace, without detection: what logging costs",
    .guarantees = "silence",
    .misses = "everything",
    .needs = DH_NEEDS_STRONG,
    .silent = true,
    .size = sizeof(struct log),
    .cell_size = sizeof(struct dh_history),
    .counters = counters,
    .read = access,
    .write = access,
    .reset = dh_history_reset_cell,
    .copy = dh_history_copy_cell,
};
