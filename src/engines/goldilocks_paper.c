/* SPDX-License-Identifier: MIT */
/*
 * Goldilocks to the letter of Figure 1: one lockset per variable, that of the last
 * access, whatever its kind; two reads conflict like any other accesses.
 *
 *   rule 1  an access by t where the lockset is not empty and lacks t is reported;
 *           then the lockset is {t}
 *   rule 8  an allocation makes the lockset empty
 *   2 to 7  are in goldi_rules.c
 *
 * So exactly those accesses are reported whose immediate predecessor on the variable is
 * not ordered before them (Theorem 1). The evaluation is lazy, as in goldi.h, which does
 * not change the locksets. Of the short circuits only `owner` is used: it follows from
 * rule 1, because the thread of the last access is always in the lockset.
 */
#include "engines/goldi.h"

struct cell {
	struct dh_goldi_info last; /* first: see dh_goldi_lockset_has() */
	bool write;
};

static struct dh_goldi *core(struct dh_engine *e)
{
	return &((struct dh_goldi_engine *)e)->core;
}

static void access(struct dh_engine *e, struct dh_thread *t, void *cell,
		   const struct dh_access *a)
{
	struct dh_goldi *g = core(e);
	struct cell *c = cell;
	dh_goldi_thread(g, t)->counts->accesses++;
	if (c->last.origin) {
		if (c->last.mark.thread == t->party.id)
			dh_goldi_thread(g, t)->counts->owner++;
		else if (DH_UNLIKELY(!dh_goldi_before(g, &c->last, t)))
			dh_engine_observed(e, t, a, &c->last.mark, c->write);
	}
	dh_goldi_info_set(g, &c->last, t, a);
	c->write = a->write;
}

static void reset(struct dh_engine *e, void *cell)
{
	struct cell *c = cell;
	dh_goldi_info_drop(core(e), &c->last);
	c->write = false;
}

static void copy(struct dh_engine *e, void *to, const void *from)
{
	struct cell *c = to;
	const struct cell *other = from;
	dh_goldi_info_copy(core(e), &c->last, &other->last);
	c->write = other->write;
}

static void start(struct dh_engine *e, struct dh_thread *t, struct dh_thread *parent)
{
	dh_goldi_start(core(e), t, parent);
}

static void sync(struct dh_engine *e, struct dh_thread *t, const struct dh_event *ev)
{
	dh_goldi_sync(core(e), t, ev);
}

static void forget(struct dh_engine *e, enum dh_name_kind kind, uint32_t number)
{
	dh_goldi_forget(core(e), kind, number);
}

static void end(struct dh_engine *e, struct dh_thread *t, bool alone)
{
	dh_goldi_end(core(e), t, alone);
}

static void init(struct dh_engine *e)
{
	dh_goldi_init(core(e));
}

static void fini(struct dh_engine *e)
{
	dh_goldi_fini(core(e));
}

static const struct dh_counter counters[] = {
    DH_GOLDI_COUNT(accesses),
    DH_GOLDI_COUNT(owner),
    DH_GOLDI_COUNT(proven),
    DH_GOLDI_COUNT(refuted),
    DH_GOLDI_COUNT(full_walks),
    DH_GOLDI_COUNT(cells_walked),
    DH_GOLDI_COUNT(cells_appended),
    DH_GOLDI_COUNTER(cells_reclaimed),
    {NULL, 0},
};

extern const struct dh_engine_ops dh_engine_goldilocks_paper;
const struct dh_engine_ops dh_engine_goldilocks_paper = {
    .name = "goldilocks-paper",
    .summary = "Goldilocks' Figure 1 to the letter: any two accesses conflict",
    .guarantees =
	"reports exactly the accesses that the preceding access to the variable "
	"is not ordered before",
    .misses = "races with an access that is not the immediately preceding one; reports "
	      "unordered reads, which are no races",
    .needs = 0,
    .lock_order = true,
    .size = sizeof(struct dh_goldi_engine),
    .cell_size = sizeof(struct cell),
    .every_report = true,
    .counters = counters,
    .init = init,
    .fini = fini,
    .start = start,
    .sync = sync,
    .read = access,
    .write = access,
    .reset = reset,
    .copy = copy,
    .forget = forget,
    .end = end,
};
