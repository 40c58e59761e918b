/* SPDX-License-Identifier: MIT */
/*
 * Tiny engines for the tests of the filters, all naive:
 *   recorder   keeps which accesses reach it
 *   figure2    RaceTrack's basic algorithm as printed, with S_x as an array
 *   pairs      keeps every access and states every pair that strong leaves unordered
 * For traces of at most KIT_EVENTS events and KIT_SLOTS threads.
 */
#ifndef DH_TESTS_TREE_KIT_H
#define DH_TESTS_TREE_KIT_H

#include "event/stream.h"

extern const struct dh_filter_ops dh_filter_tree;
extern const struct dh_filter_ops dh_filter_tree_strict;
extern const struct dh_filter_ops dh_filter_span;

enum { KIT_SLOTS = 12, KIT_EVENTS = 1 << 10 };

/* ---- recorder ---- */

struct recorder {
	struct dh_engine engine;
	bool got[KIT_EVENTS];	    /* by index */
	uint64_t order[KIT_EVENTS]; /* the indices as they came */
	uint64_t count;
};

static void record(struct dh_engine *e, struct dh_thread *t, void *cell,
		   const struct dh_access *a)
{
	(void)t, (void)cell;
	struct recorder *r = (struct recorder *)e;
	DH_CHECK(a->index < KIT_EVENTS && !r->got[a->index]);
	r->got[a->index] = true;
	r->order[r->count++] = a->index;
}

static void reset_nothing(struct dh_engine *e, void *cell)
{
	(void)e, (void)cell;
}

static const struct dh_engine_ops recorder = {
    .name = "recorder",
    .needs = DH_NEEDS_LOCKSETS, /* so that guards are kept */
    .size = sizeof(struct recorder),
    .read = record,
    .write = record,
    .reset = reset_nothing,
};

/* ---- figure2 ---- */

struct figure2_cell {
	uint32_t clock[KIT_SLOTS]; /* S_x, by slot; 0: not in it */
	dh_lockset locks;	   /* C_x */
	bool reported;
};

static void figure2_access(struct dh_engine *e, struct dh_thread *t, void *cell,
			   const struct dh_access *a)
{
	struct figure2_cell *c = cell;
	unsigned size = 0;
	DH_CHECK(t->party.slot < KIT_SLOTS);
	for (uint32_t u = 0; u < KIT_SLOTS; u++)
		if (c->clock[u] && dh_order_before(&t->party, DH_WEAK, u, c->clock[u]))
			c->clock[u] = 0;
	uint32_t *own = &c->clock[t->party.slot];
	*own = DH_MAX(*own, a->clock);
	for (uint32_t u = 0; u < KIT_SLOTS; u++)
		size += c->clock[u] != 0;
	if (size > 1)
		c->locks =
		    dh_lockset_intersect(dh_engine_locksets(e), c->locks, a->locks);
	else
		c->locks = a->locks;
	if (size > 1 && c->locks == DH_LOCKSET_EMPTY && !c->reported) {
		c->reported = true;
		dh_engine_report(e, &(struct dh_race){
					.var = a->var,
					.grade = DH_POTENTIAL,
					.second = dh_access_mark(t, a),
					.second_write = a->write,
				    });
	}
}

static void figure2_reset(struct dh_engine *e, void *cell)
{
	(void)e;
	dh_zero(cell, sizeof(struct figure2_cell));
}

static DH_UNUSED const struct dh_engine_ops figure2 = {
    .name = "figure2",
    .needs = DH_NEEDS_WEAK | DH_NEEDS_LOCKSETS,
    .size = sizeof(struct dh_engine),
    .cell_size = sizeof(struct figure2_cell),
    .every_report = true,
    .read = figure2_access,
    .write = figure2_access,
    .reset = figure2_reset,
};

/* ---- pairs ---- */

struct pairs_access {
	struct dh_mark mark;
	dh_epoch epoch;
	bool write;
};

struct pairs_cell {
	struct dh_vec(struct pairs_access) seen;
};

static void pairs_see(struct dh_engine *e, struct dh_thread *t, void *cell,
		      const struct dh_access *a)
{
	struct pairs_cell *c = cell;
	for (size_t i = 0; i < c->seen.len; i++) {
		const struct pairs_access *p = &c->seen.at[i];
		if (p->mark.thread == t->party.id || !(p->write || a->write) ||
		    dh_order_epoch_before(&t->party, DH_STRONG, p->epoch))
			continue;
		dh_engine_report(e, &(struct dh_race){
					.var = a->var,
					.grade = DH_OBSERVED,
					.has_first = true,
					.first = p->mark,
					.first_write = p->write,
					.second = dh_access_mark(t, a),
					.second_write = a->write,
				    });
	}
	dh_vec_push(&c->seen, (struct pairs_access){
				  .mark = dh_access_mark(t, a),
				  .epoch = dh_access_epoch(t, a),
				  .write = a->write,
			      });
}

static void pairs_reset(struct dh_engine *e, void *cell)
{
	(void)e;
	dh_vec_free(&((struct pairs_cell *)cell)->seen);
}

static DH_UNUSED const struct dh_engine_ops pairs = {
    .name = "pairs",
    .needs = DH_NEEDS_STRONG,
    .size = sizeof(struct dh_engine),
    .cell_size = sizeof(struct pairs_cell),
    .every_report = true,
    .lock_order = true,
    .read = pairs_see,
    .write = pairs_see,
    .reset = pairs_reset,
};

#endif
