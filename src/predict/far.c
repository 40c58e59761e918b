/* SPDX-License-Identifier: MIT */
/*
 * The engine of far.h. Whether two accesses share a window depends only on the steps
 * (stretches between starts of windows) that they are in, so an access is compared with
 * the others of its variable only when it is the first of its kind in a step.
 */
#include "predict/far.h"
#include "event/stream.h"

enum { FAR_MAX = 1 << 22 };

/* Accesses of one kind to one variable: the last of them. */
struct kind {
	uint64_t index;
	uint32_t thread, site;
	uint32_t slot, clock;
	dh_lockset locks;
	bool write;
};

struct cell {
	struct dh_vec(struct kind) kinds;
};

struct engine {
	struct dh_engine base;
	struct dh_far *far;
};

struct dh_far {
	struct dh_stream *stream;
	uint32_t size, step;
	bool by_locks; /* a common lock protects */
	enum dh_relation relation;
	struct dh_table near, far;
	uint64_t kinds;
};

static bool in_one_window(const struct dh_far *f, uint64_t first, uint64_t second)
{
	return second < first / f->step * f->step + f->size;
}

static bool kept_apart(const struct dh_far *f, struct dh_engine *e,
		       const struct dh_thread *t, const struct kind *o,
		       const struct dh_access *a)
{
	if (dh_order_before(&t->party, f->relation, o->slot, o->clock))
		return true;
	return f->by_locks && dh_lockset_intersect(dh_engine_locksets(e), o->locks,
						   a->locks) != DH_LOCKSET_EMPTY;
}

static void compare(struct dh_far *f, struct dh_engine *e, const struct dh_thread *t,
		    const struct cell *c, const struct dh_access *a)
{
	for (size_t i = 0; i < c->kinds.len; i++) {
		const struct kind *o = &c->kinds.at[i];
		bool fresh;
		if (o->thread == t->party.id || (!o->write && !a->write))
			continue;
		dh_location low = DH_MIN(o->site, a->site),
			    high = DH_MAX(o->site, a->site);
		if (in_one_window(f, o->index, a->index))
			dh_table_put(&f->near, low, high, &fresh);
		else if (!kept_apart(f, e, t, o, a))
			dh_table_put(&f->far, low, high, &fresh);
	}
}

static struct kind *kind_of(struct cell *c, const struct dh_thread *t,
			    const struct dh_access *a)
{
	for (size_t i = c->kinds.len; i-- > 0;) {
		struct kind *k = &c->kinds.at[i];
		if (k->thread == t->party.id && k->site == a->site &&
		    k->write == a->write && k->locks == a->locks)
			return k;
	}
	return NULL;
}

static void on_access(struct dh_engine *base, struct dh_thread *t, void *cell,
		      const struct dh_access *a)
{
	struct dh_far *f = ((struct engine *)base)->far;
	struct cell *c = cell;
	struct kind *k = kind_of(c, t, a);
	if (!k || k->index / f->step != a->index / f->step)
		compare(f, base, t, c, a);
	if (!k) {
		if (f->kinds == FAR_MAX)
			return;
		f->kinds++;
		dh_vec_push(&c->kinds, (struct kind){.thread = t->party.id,
						     .site = a->site,
						     .locks = a->locks,
						     .write = a->write});
		k = &c->kinds.at[c->kinds.len - 1];
	}
	k->index = a->index;
	k->slot = t->party.slot;
	k->clock = a->clock;
}

static void reset(struct dh_engine *base, void *cell)
{
	struct cell *c = cell;
	((struct engine *)base)->far->kinds -= c->kinds.len;
	dh_vec_free(&c->kinds);
}

#define OPS(needed)                                                                      \
	{                                                                                \
		.name = "far", .needs = (needed), .size = sizeof(struct engine),         \
		.cell_size = sizeof(struct cell), .read = on_access, .write = on_access, \
		.reset = reset,                                                          \
	}
static const struct dh_engine_ops strong = OPS(DH_NEEDS_STRONG);
static const struct dh_engine_ops weak = OPS(DH_NEEDS_WEAK | DH_NEEDS_LOCKSETS);

struct dh_far *dh_far_new(uint32_t size, uint32_t step, enum dh_model model)
{
	struct dh_far *f = dh_mem_alloc(sizeof *f);
	f->size = size;
	f->step = step;
	f->by_locks = model >= DH_MODEL_MC;
	f->relation = model == DH_MODEL_HB ? DH_STRONG : DH_WEAK;
	f->stream = dh_stream_new(&(struct dh_stream_config){0});
	struct dh_engine *e =
	    dh_stream_add(f->stream, f->relation == DH_STRONG ? &strong : &weak);
	((struct engine *)e)->far = f;
	return f;
}

void dh_far_feed(struct dh_far *f, const struct dh_event *ev)
{
	if (!ev->nested)
		dh_stream_feed(f->stream, ev);
}

uint64_t dh_far_count(const struct dh_far *f, const struct dh_table *found)
{
	uint64_t n = 0;
	for (size_t i = 0; i < f->far.entries.len; i++) {
		const struct dh_table_entry *e = &f->far.entries.at[i];
		n += !dh_table_get(&f->near, e->low, e->high) &&
		     !dh_table_get(found, e->low, e->high);
	}
	return n;
}

void dh_far_free(struct dh_far *f)
{
	dh_stream_free(f->stream);
	dh_table_free(&f->near);
	dh_table_free(&f->far);
	dh_mem_free(f, sizeof *f);
}
