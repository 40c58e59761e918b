/* SPDX-License-Identifier: MIT */
/*
 * Three engines that detect nothing: `null` measures the frame itself, `count`
 * counts what passes, `print` shows it. The smallest examples of engine.h.
 */
#include "event/stream.h"

static void ignore_access(struct dh_engine *e, struct dh_thread *t, void *cell,
			  const struct dh_access *a)
{
	(void)e, (void)t, (void)cell, (void)a;
}

static void ignore_reset(struct dh_engine *e, void *cell)
{
	(void)e, (void)cell;
}

/* ---- count ---- */

struct count {
	struct dh_engine engine;
	uint64_t by_op[DH_OP_COUNT];
	uint64_t threads;
};

static void count_start(struct dh_engine *e, struct dh_thread *t, struct dh_thread *parent)
{
	(void)t, (void)parent;
	((struct count *)e)->threads++;
}

static void count_sync(struct dh_engine *e, struct dh_thread *t, const struct dh_event *ev)
{
	(void)t;
	((struct count *)e)->by_op[ev->op]++;
}

static void count_access(struct dh_engine *e, struct dh_thread *t, void *cell,
			 const struct dh_access *a)
{
	(void)t, (void)cell;
	((struct count *)e)->by_op[a->write ? DH_WRITE : DH_READ]++;
}

static const struct dh_counter count_counters[] = {
#define X(id, text, kind) {text, offsetof(struct count, by_op[id])},
	DH_OPS(X)
#undef X
	{"threads", offsetof(struct count, threads)},
	{NULL, 0},
};

/* ---- print ---- */

static void print_event(struct dh_engine *e, const struct dh_event *ev)
{
	if (e->stream->config.on_event)
		e->stream->config.on_event(e->stream->config.context, ev);
}

static void print_sync(struct dh_engine *e, struct dh_thread *t, const struct dh_event *ev)
{
	(void)t;
	print_event(e, ev);
}

static void print_access(struct dh_engine *e, struct dh_thread *t, void *cell,
			 const struct dh_access *a)
{
	(void)cell;
	print_event(e, &(struct dh_event){
			       .index = a->index,
			       .thread = t->party.id,
			       .target = a->var,
			       .site = a->site,
			       .op = a->write ? DH_WRITE : DH_READ,
		       });
}

extern const struct dh_engine_ops dh_engine_null, dh_engine_count, dh_engine_print;

const struct dh_engine_ops dh_engine_null = {
	.name = "null",
	.summary = "does nothing: measures the frame",
	.guarantees = "silence",
	.misses = "everything",
	.silent = true,
	.size = sizeof(struct dh_engine),
	.read = ignore_access,
	.write = ignore_access,
	.reset = ignore_reset,
};

const struct dh_engine_ops dh_engine_count = {
	.name = "count",
	.summary = "counts events by operation",
	.guarantees = "silence",
	.misses = "everything",
	.silent = true,
	.size = sizeof(struct count),
	.counters = count_counters,
	.start = count_start,
	.sync = count_sync,
	.read = count_access,
	.write = count_access,
	.reset = ignore_reset,
};

const struct dh_engine_ops dh_engine_print = {
	.name = "print",
	.summary = "shows the stream as the engines see it, behind the filter",
	.guarantees = "silence",
	.misses = "everything",
	.silent = true,
	.size = sizeof(struct dh_engine),
	.sync = print_sync,
	.read = print_access,
	.write = print_access,
	.reset = ignore_reset,
};
