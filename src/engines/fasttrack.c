/* SPDX-License-Identifier: MIT */
/*
 * FastTrack (Flanagan and Freund), the detector that TREE is measured with: precise
 * happens-before with epochs. The last write of a variable is one epoch, because
 * writes before it are ordered before it as long as there is no race; its reads are
 * one epoch while they are ordered, and a clock per slot once they are not.
 *
 * Rules, counted under their names:
 *   READ   same epoch | shared (own clock replaced) | exclusive | share (inflate)
 *   WRITE  same epoch | exclusive | shared (all readers checked, then forgotten)
 *
 * Invariant: until the first race on a variable, every earlier access is ordered
 * before one that the cell still holds. So the first race is found at its second
 * access. Races after it are reported as far as the cell still knows of them, and
 * each reported pair is truly unordered.
 */
#include "event/engine.h"
#include "base/mem.h"

struct reader {
	uint32_t clock; /* 0: this slot has not read */
	struct dh_mark mark;
};

struct readers {
	uint32_t len; /* by slot */
	struct reader at[];
};

struct cell {
	dh_epoch write;
	dh_epoch read; /* DH_EPOCH_SHARED: see readers */
	struct dh_mark write_mark;
	struct dh_mark read_mark;
	struct readers *readers;
};

struct fasttrack {
	struct dh_engine engine;
	uint64_t read_same_epoch, read_shared, read_exclusive, read_share;
	uint64_t write_same_epoch, write_exclusive, write_shared;
};

static size_t readers_bytes(uint32_t len)
{
	return sizeof(struct readers) + len * sizeof(struct reader);
}

static struct reader *reader_of(struct cell *c, uint32_t slot)
{
	uint32_t len = c->readers ? c->readers->len : 0;
	if (DH_UNLIKELY(slot >= len)) {
		uint32_t want = (uint32_t)dh_pow2(slot + 1);
		c->readers = dh_mem_resize(c->readers, c->readers ? readers_bytes(len) : 0,
					   readers_bytes(want));
		c->readers->len = want;
	}
	return &c->readers->at[slot];
}

static void readers_drop(struct cell *c)
{
	if (c->readers)
		dh_mem_free(c->readers, readers_bytes(c->readers->len));
	c->readers = NULL;
}

static void check_write(struct dh_engine *e, struct dh_thread *t, const struct cell *c,
			const struct dh_access *a)
{
	if (DH_UNLIKELY(!dh_order_epoch_before(&t->party, DH_STRONG, c->write)))
		dh_engine_observed(e, t, a, &c->write_mark, true);
}

static void read_access(struct dh_engine *e, struct dh_thread *t, void *cell,
			const struct dh_access *a)
{
	struct fasttrack *f = (struct fasttrack *)e;
	struct cell *c = cell;
	dh_epoch now = dh_access_epoch(t, a);
	if (c->read == now) {
		f->read_same_epoch++;
		return;
	}
	if (c->read == DH_EPOCH_SHARED) {
		struct reader *r = reader_of(c, t->party.slot);
		if (r->clock == a->clock) {
			f->read_same_epoch++;
			return;
		}
		check_write(e, t, c, a);
		f->read_shared++;
		*r = (struct reader){a->clock, dh_access_mark(t, a)};
		return;
	}
	check_write(e, t, c, a);
	if (dh_order_epoch_before(&t->party, DH_STRONG, c->read)) {
		f->read_exclusive++;
		c->read = now;
		c->read_mark = dh_access_mark(t, a);
		return;
	}
	f->read_share++;
	*reader_of(c, dh_epoch_slot(c->read)) =
		(struct reader){dh_epoch_clock(c->read), c->read_mark};
	*reader_of(c, t->party.slot) = (struct reader){a->clock, dh_access_mark(t, a)};
	c->read = DH_EPOCH_SHARED;
}

static void check_readers(struct dh_engine *e, struct dh_thread *t, const struct cell *c,
			  const struct dh_access *a)
{
	for (uint32_t slot = 0; slot < c->readers->len; slot++) {
		const struct reader *r = &c->readers->at[slot];
		if (r->clock && !dh_order_before(&t->party, DH_STRONG, slot, r->clock))
			dh_engine_observed(e, t, a, &r->mark, false);
	}
}

static void write_access(struct dh_engine *e, struct dh_thread *t, void *cell,
			 const struct dh_access *a)
{
	struct fasttrack *f = (struct fasttrack *)e;
	struct cell *c = cell;
	dh_epoch now = dh_access_epoch(t, a);
	if (c->write == now) {
		f->write_same_epoch++;
		return;
	}
	check_write(e, t, c, a);
	if (c->read == DH_EPOCH_SHARED) {
		f->write_shared++;
		check_readers(e, t, c, a);
		readers_drop(c);
		c->read = DH_EPOCH_NONE;
	} else {
		f->write_exclusive++;
		if (DH_UNLIKELY(!dh_order_epoch_before(&t->party, DH_STRONG, c->read)))
			dh_engine_observed(e, t, a, &c->read_mark, false);
	}
	c->write = now;
	c->write_mark = dh_access_mark(t, a);
}

static void reset(struct dh_engine *e, void *cell)
{
	(void)e;
	struct cell *c = cell;
	readers_drop(c);
	dh_zero(c, sizeof *c);
}

#define COUNTER(name) {#name, offsetof(struct fasttrack, name)}
static const struct dh_counter counters[] = {
	COUNTER(read_same_epoch),  COUNTER(read_shared),     COUNTER(read_exclusive),
	COUNTER(read_share),       COUNTER(write_same_epoch), COUNTER(write_exclusive),
	COUNTER(write_shared),     {NULL, 0},
};

extern const struct dh_engine_ops dh_engine_fasttrack;
const struct dh_engine_ops dh_engine_fasttrack = {
	.name = "fasttrack",
	.summary = "happens-before with epochs (FastTrack); the default",
	.guarantees = "no false alarm; finds every variable that this run raced on, at the "
		      "first race",
	.misses = "races that the order of locks in this run happened to hide",
	.needs = DH_NEEDS_STRONG,
	.size = sizeof(struct fasttrack),
	.cell_size = sizeof(struct cell),
	.lock_order = true,
	.counters = counters,
	.read = read_access,
	.write = write_access,
	.reset = reset,
};
