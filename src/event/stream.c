/* SPDX-License-Identifier: MIT */
/* The frame around the engines; see stream.h and engine.h. */
#include "event/stream.h"

struct dh_stream *dh_stream_new(const struct dh_stream_config *config)
{
	struct dh_stream *s = dh_mem_alloc(sizeof *s);
	s->config = *config;
	s->locksets = dh_lockset_table_new();
	return s;
}

struct reset_context {
	struct dh_engine *engine;
};

static void reset_cell(void *context, void *cell)
{
	struct dh_engine *e = ((struct reset_context *)context)->engine;
	e->ops->reset(e, cell);
}

static void engine_free(struct dh_engine *e)
{
	struct reset_context context = {e};
	dh_cells_each(&e->cells, reset_cell, &context);
	if (e->ops->fini)
		e->ops->fini(e);
	dh_cells_free(&e->cells);
	dh_map_free(&e->reported);
	dh_mem_free(e, e->ops->size);
}

static void thread_free(struct dh_stream *s, struct dh_thread *t)
{
	dh_sparse_set(&s->threads, t->party.id, NULL);
	dh_order_end(&s->order, &t->party);
	dh_mem_free(t, sizeof *t);
}

void dh_stream_free(struct dh_stream *s)
{
	if (s->filter) {
		if (s->filter->ops->fini)
			s->filter->ops->fini(s->filter);
		dh_mem_free(s->filter, s->filter->ops->size);
	}
	for (size_t i = 0; i < s->engines.len; i++)
		engine_free(s->engines.at[i]);
	struct dh_thread *t;
	for (uint32_t i = 0; (t = dh_sparse_next(&s->threads, &i)); i++)
		thread_free(s, t);
	dh_order_free(&s->order);
	dh_lockset_table_free(s->locksets);
	dh_vec_free(&s->engines);
	dh_sparse_free(&s->threads);
	dh_vec_free(&s->objects);
	dh_mem_free(s, sizeof *s);
}

/* The orders are set up anew with each engine: nothing has happened yet. */
static void add_needs(struct dh_stream *s, unsigned needs, uint32_t clock_limit)
{
	DH_CHECK(s->events == 0);
	s->needs |= needs;
	struct dh_order_config config = s->order.config;
	config.relation[DH_STRONG] = s->needs & DH_NEEDS_STRONG;
	config.relation[DH_WEAK] = s->needs & DH_NEEDS_WEAK;
	if (s->config.clock_limit)
		config.clock_limit = s->config.clock_limit;
	else if (clock_limit && (!config.clock_limit || clock_limit < config.clock_limit))
		config.clock_limit = clock_limit;
	dh_order_init(&s->order, &config);
}

struct dh_engine *dh_stream_add(struct dh_stream *s, const struct dh_engine_ops *ops)
{
	struct dh_engine *e = dh_mem_alloc(ops->size);
	e->ops = ops;
	e->stream = s;
	e->cells.cell_size = DH_MAX(ops->cell_size, (size_t)1);
	add_needs(s, ops->needs, ops->clock_limit);
	dh_vec_push(&s->engines, e);
	if (ops->init)
		ops->init(e);
	return e;
}

struct dh_filter *dh_stream_set_filter(struct dh_stream *s, const struct dh_filter_ops *ops)
{
	DH_CHECK(!s->filter);
	struct dh_filter *f = dh_mem_alloc(ops->size);
	f->ops = ops;
	f->stream = s;
	add_needs(s, ops->needs, 0);
	s->filter = f;
	if (ops->init)
		ops->init(f);
	return f;
}

void dh_stream_set_object(struct dh_stream *s, uint32_t var, uint32_t object)
{
	dh_vec_grow(&s->objects, (size_t)var + 1);
	s->objects.at[var] = object + 1;
}

struct dh_thread *dh_stream_thread(const struct dh_stream *s, uint32_t id)
{
	return dh_sparse_get(&s->threads, id);
}

static DH_COLD struct dh_thread *begin_thread(struct dh_stream *s, uint32_t id,
					      struct dh_thread *parent)
{
	struct dh_thread *t = dh_stream_thread(s, id);
	if (t)
		return t;
	t = dh_mem_alloc(sizeof *t);
	t->party.id = id;
	dh_sparse_set(&s->threads, id, t);
	dh_order_start(&s->order, &t->party, parent ? &parent->party : NULL);
	for (size_t i = 0; i < s->engines.len; i++) {
		struct dh_engine *e = s->engines.at[i];
		if (e->ops->start)
			e->ops->start(e, t, parent);
	}
	return t;
}

DH_INLINE struct dh_thread *thread_of(struct dh_stream *s, uint32_t id)
{
	struct dh_thread *t = dh_stream_thread(s, id);
	return DH_LIKELY(t != NULL) ? t : begin_thread(s, id, NULL);
}

void dh_stream_forward(struct dh_stream *s, struct dh_thread *t, const struct dh_access *a)
{
	for (size_t i = 0; i < s->engines.len; i++) {
		struct dh_engine *e = s->engines.at[i];
		void *cell = dh_cells_get(&e->cells, a->var);
		(a->write ? e->ops->write : e->ops->read)(e, t, cell, a);
	}
}

static struct dh_access access_of(const struct dh_stream *s, const struct dh_thread *t,
				  const struct dh_event *ev)
{
	bool write = ev->op == DH_WRITE;
	uint32_t var = ev->target;
	uint32_t object = var < s->objects.len ? s->objects.at[var] : 0;
	return (struct dh_access){
		.index = ev->index,
		.var = var,
		.object = object ? object - 1 : var,
		.site = ev->site,
		.clock = t->party.clock,
		.locks = write ? t->held_write : t->held,
		.write = write,
	};
}

static void feed_access(struct dh_stream *s, struct dh_thread *t, const struct dh_event *ev)
{
	struct dh_access a = access_of(s, t, ev);
	if (s->filter && !s->filter->ops->access(s->filter, t, &a))
		return;
	dh_stream_forward(s, t, &a);
}

static void feed_alloc(struct dh_stream *s, const struct dh_event *ev)
{
	for (size_t i = 0; i < s->engines.len; i++) {
		struct dh_engine *e = s->engines.at[i];
		e->ops->reset(e, dh_cells_get(&e->cells, ev->target));
	}
}

void dh_stream_copy(struct dh_stream *s, uint32_t to, uint32_t from)
{
	if (s->filter && s->filter->ops->settle)
		s->filter->ops->settle(s->filter, from);
	for (size_t i = 0; i < s->engines.len; i++) {
		struct dh_engine *e = s->engines.at[i];
		e->ops->copy(e, dh_cells_get(&e->cells, to), dh_cells_get(&e->cells, from));
	}
}

void dh_stream_forget(struct dh_stream *s, enum dh_name_kind kind, uint32_t number)
{
	dh_order_forget(&s->order, kind == DH_NAME_LOCK, kind == DH_NAME_MESSAGE, number);
	for (size_t i = 0; i < s->engines.len; i++) {
		struct dh_engine *e = s->engines.at[i];
		if (e->ops->forget)
			e->ops->forget(e, kind, number);
	}
}

void dh_stream_end(struct dh_stream *s, uint32_t id, bool alone)
{
	struct dh_thread *t = dh_stream_thread(s, id);
	if (!t)
		return;
	dh_order_retire(&s->order, &t->party);
	for (size_t i = 0; i < s->engines.len; i++) {
		struct dh_engine *e = s->engines.at[i];
		if (e->ops->end)
			e->ops->end(e, t, alone);
	}
	if (alone && s->filter) /* which may ask what the thread had published */
		dh_order_end(&s->order, &t->party);
	else if (alone)
		thread_free(s, t);
}

/* ---- locks held ---- */

/* A lock held in both modes stays in `held` until both are gone. */
static void hold(struct dh_stream *s, struct dh_thread *t, uint32_t lock, bool write)
{
	if (!(s->needs & DH_NEEDS_LOCKSETS))
		return;
	t->held = dh_lockset_add(s->locksets, t->held, lock);
	if (write)
		t->held_write = dh_lockset_add(s->locksets, t->held_write, lock);
	else
		t->held_read = dh_lockset_add(s->locksets, t->held_read, lock);
}

static void unhold(struct dh_stream *s, struct dh_thread *t, uint32_t lock, bool write)
{
	if (!(s->needs & DH_NEEDS_LOCKSETS))
		return;
	if (write)
		t->held_write = dh_lockset_remove(s->locksets, t->held_write, lock);
	else
		t->held_read = dh_lockset_remove(s->locksets, t->held_read, lock);
	if (!dh_lockset_has(s->locksets, write ? t->held_read : t->held_write, lock))
		t->held = dh_lockset_remove(s->locksets, t->held, lock);
}

/* ---- synchronisation ---- */

/* Brings threads, order and locksets to the state after ev. */
static void apply(struct dh_stream *s, struct dh_thread *t, const struct dh_event *ev)
{
	struct dh_order *o = &s->order;
	struct dh_party *p = &t->party;
	switch ((enum dh_op)ev->op) {
	case DH_ACQUIRE:
	case DH_READ_ACQUIRE:
		dh_order_acquire(o, p, ev->target, ev->op == DH_ACQUIRE);
		hold(s, t, ev->target, ev->op == DH_ACQUIRE);
		break;
	case DH_RELEASE:
	case DH_READ_RELEASE:
		dh_order_release(o, p, ev->target, ev->op == DH_RELEASE);
		unhold(s, t, ev->target, ev->op == DH_RELEASE);
		break;
	case DH_FORK:
		begin_thread(s, ev->target, t);
		break;
	case DH_JOIN:
		dh_order_join(o, p, &thread_of(s, ev->target)->party);
		break;
	case DH_SEND:
		dh_order_send(o, p, ev->target);
		break;
	case DH_RECEIVE:
		dh_order_receive(o, p, ev->target);
		break;
	case DH_BARRIER_ENTER:
		dh_order_barrier_enter(o, p, ev->target);
		break;
	case DH_BARRIER_LEAVE:
		s->episode_closed = dh_order_barrier_leave(o, p, ev->target);
		break;
	case DH_VOLATILE_READ:
		dh_order_volatile_read(o, p, ev->target);
		break;
	case DH_VOLATILE_WRITE:
		dh_order_volatile_write(o, p, ev->target);
		break;
	case DH_READ:
	case DH_WRITE:
	case DH_ALLOC:
	case DH_METHOD_BEGIN:
	case DH_METHOD_END:
	case DH_OP_COUNT:
		break;
	}
}

static void feed_sync(struct dh_stream *s, struct dh_thread *t, const struct dh_event *ev)
{
	if (ev->op == DH_ALLOC)
		feed_alloc(s, ev);
	else
		apply(s, t, ev);
	for (size_t i = 0; i < s->engines.len; i++) {
		struct dh_engine *e = s->engines.at[i];
		if (e->ops->sync)
			e->ops->sync(e, t, ev);
	}
}

void dh_stream_feed(struct dh_stream *s, const struct dh_event *ev)
{
	s->events++;
	struct dh_thread *t = thread_of(s, ev->thread);
	if (DH_LIKELY(dh_op_is_access(ev->op))) {
		feed_access(s, t, ev);
		return;
	}
	if (s->filter && s->filter->ops->before)
		s->filter->ops->before(s->filter, t, ev);
	feed_sync(s, t, ev);
}

/* ---- several threads at once ---- */

bool dh_stream_share(struct dh_stream *s)
{
	struct dh_engine *e = s->engines.len == 1 ? s->engines.at[0] : NULL;
	if (!e || !e->ops->shared || s->filter ||
	    s->needs & (DH_NEEDS_STRONG | DH_NEEDS_WEAK))
		return false;
	e->ops->shared->begin(e);
	return s->shared = true;
}

bool dh_stream_access_shared(struct dh_stream *s, const struct dh_event *ev)
{
	struct dh_engine *e = s->engines.at[0];
	struct dh_thread *t = dh_stream_thread(s, ev->thread);
	void *cell = dh_cells_find(&e->cells, ev->target);
	if (!t || !cell)
		return false;
	struct dh_access a = access_of(s, t, ev);
	(a.write ? e->ops->write : e->ops->read)(e, t, cell, &a);
	return true;
}

bool dh_stream_sync_shared(struct dh_stream *s, const struct dh_event *ev)
{
	struct dh_engine *e = s->engines.at[0];
	struct dh_thread *t = dh_stream_thread(s, ev->thread);
	if (!t || !e->ops->shared->sync(e, t, ev))
		return false;
	if (ev->op == DH_ACQUIRE || ev->op == DH_READ_ACQUIRE)
		hold(s, t, ev->target, ev->op == DH_ACQUIRE);
	else if (ev->op == DH_RELEASE || ev->op == DH_READ_RELEASE)
		unhold(s, t, ev->target, ev->op == DH_RELEASE);
	return true;
}

uint64_t dh_counter_value(const void *owner, const struct dh_counter *list,
			  const char *name)
{
	for (; list && list->name; list++) {
		const char *a = list->name, *b = name;
		while (*a && *a == *b)
			a++, b++;
		if (*a == *b)
			return *(const uint64_t *)((const char *)owner + list->offset);
	}
	return 0;
}
