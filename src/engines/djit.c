/* SPDX-License-Identifier: MIT */
/*
 * DJIT+ (Pozniansky and Schuster; MultiRace section 3, Figure 3): vector time frames
 * and, per variable, the last time frame in which each thread read and wrote it.
 * Only the first read and the first write of a thread in a time frame are logged and
 * checked (claim 2), and only against each other thread's latest (claim 3).
 *
 * Our clocks tick after a release where the paper's tick before it, so "ordered" is
 * T <= known here and T < st[u] there; the relation is the same.
 */
#include "engines/history.h"

struct djit {
	struct dh_engine engine;
	uint64_t first_reads, first_writes; /* logged and checked */
	uint64_t repeats;                   /* not the first in their time frame */
	uint64_t entries_checked;           /* of access histories */
};

static void access(struct dh_engine *e, struct dh_thread *t, void *cell,
		   const struct dh_access *a)
{
	struct djit *d = (struct djit *)e;
	struct dh_history *h = cell;
	if (!dh_history_log(h, t, a)) {
		d->repeats++;
		return;
	}
	*(a->write ? &d->first_writes : &d->first_reads) += 1;
	d->entries_checked += h->len;
	dh_history_check(h, e, t, a);
}

#define COUNTER(name) {#name, offsetof(struct djit, name)}
static const struct dh_counter counters[] = {
	COUNTER(first_reads),
	COUNTER(first_writes),
	COUNTER(repeats),
	COUNTER(entries_checked),
	{NULL, 0},
};

extern const struct dh_engine_ops dh_engine_djit;
const struct dh_engine_ops dh_engine_djit = {
	.name = "djit",
	.summary = "happens-before with vector time frames (DJIT+ of MultiRace)",
	.guarantees = "no false alarm; finds every variable that this run raced on, and "
		      "each thread's latest part in it",
	.misses = "races that the order of locks in this run happened to hide",
	.needs = DH_NEEDS_STRONG,
	.size = sizeof(struct djit),
	.cell_size = sizeof(struct dh_history),
	.lock_order = true,
	.counters = counters,
	.read = access,
	.write = access,
	.reset = dh_history_reset_cell,
	.copy = dh_history_copy_cell,
};
