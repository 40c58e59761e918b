/* SPDX-License-Identifier: MIT */
/*
 * From events to cells: rules 2 to 7 of Goldilocks' Figure 1, and what the paper has no
 * rule for (reader-writer locks, messages, barriers). Each is of the form "a lockset
 * that contains `from` gets `to`":
 *
 *   rule  event           from        to
 *   2     volatile read   v           t
 *   3     volatile write  t           v
 *   4     acquire         W(l), R(l)  t      in read mode: W(l) only
 *   5     release         t           W(l)   in read mode: R(l)
 *   6     fork(u)         t           u
 *   7     join(u)         u           t
 *         send            t           m
 *         receive         m           t
 *         barrier enter   t           episode
 *         barrier leave   episode     t
 *
 * Steps that can change no lockset leave no cell: taking a lock that nobody has released
 * yet, or that this thread itself released last. In the latter case every lockset that
 * contains W(l) or R(l) contains the thread: what others put there came before the
 * thread took l in write mode, and was learned then.
 */
#include "engines/goldi.h"

static uint64_t add_cell(struct dh_goldi *g, struct dh_goldi_thread *th, uint32_t from,
			 uint32_t to)
{
	struct dh_goldi_cell cell = {from, to};
	uint64_t position = g->shared ? dh_goldi_list_append(&g->list, cell)
				      : dh_goldi_list_push(&g->list, cell);
	th->counts->cells_appended++;
	return position;
}

/* Others can learn from this step: the frame ends before it. */
static void give(struct dh_goldi *g, struct dh_goldi_thread *th, uint32_t to)
{
	dh_goldi_close_frame(g, th);
	add_cell(g, th, th->element, to);
}

static void take(struct dh_goldi *g, struct dh_goldi_thread *th, uint32_t from)
{
	if (from)
		th->learned = add_cell(g, th, from, th->element) + 1;
}

/* After a step, where one is alone at all times. Else who asks is dh_engine_shared's. */
static void collect_if_due(struct dh_goldi *g)
{
	if (g->shared)
		return;
	g->list_peak = DH_MAX(g->list_peak, (uint64_t)dh_goldi_list_len(&g->list));
	if (DH_UNLIKELY(dh_goldi_is_due(g)))
		dh_goldi_collect(g);
}

void dh_goldi_start(struct dh_goldi *g, const struct dh_thread *t,
		    const struct dh_thread *parent)
{
	uint32_t id = t->party.id, element = dh_goldi_element_new(&g->elements);
	struct dh_goldi_thread *th = dh_mem_alloc(sizeof *th);
	dh_sparse_set(&g->threads, id, th);
	th->id = id;
	th->element = element;
	th->work = g->shared ? dh_mem_alloc(sizeof *th->work) : &g->work;
	th->counts = g->shared ? &th->work->counts : &g->counts;
	if (parent)
		give(g, dh_goldi_thread(g, parent), element);
	th->begun = dh_goldi_tail(g);
	th->learned = parent ? th->begun : 0;
	th->root = parent ? dh_goldi_thread(g, parent)->root : th->begun;
	collect_if_due(g);
}

static void join(struct dh_goldi *g, struct dh_goldi_thread *th,
		 struct dh_goldi_thread *u)
{
	dh_goldi_close_frame(g, u);
	take(g, th, u->element);
	if (!u->joined)
		u->joined = th->learned;
}

/* By id, as the element of an ended thread may be another's. */
static uint32_t last_of(const struct dh_goldi_thread *th)
{
	return th->id + 1;
}

static void acquire(struct dh_goldi *g, struct dh_goldi_thread *th, uint32_t lock,
		    bool write)
{
	const struct dh_goldi_lock *l = dh_goldi_lock_of(&g->elements, lock);
	/* Relaxed, here and below: only readers may be at it at once, and for them W(l)
	 * is what matters: whoever gave that gave the lock to them as well. */
	if (__atomic_load_n(&l->last, __ATOMIC_RELAXED) == last_of(th))
		return;
	take(g, th, l->write);
	if (write)
		take(g, th, l->read);
}

static void release(struct dh_goldi *g, struct dh_goldi_thread *th, uint32_t lock,
		    bool write)
{
	struct dh_goldi_lock *l = dh_goldi_lock_of(&g->elements, lock);
	__atomic_store_n(&l->last, write ? last_of(th) : 0, __ATOMIC_RELAXED);
	give(g, th, dh_goldi_element_at(&g->elements, write ? &l->write : &l->read));
}

static void step(struct dh_goldi *g, const struct dh_thread *t, const struct dh_event *ev)
{
	struct dh_goldi_elements *e = &g->elements;
	struct dh_goldi_thread *th = dh_goldi_thread(g, t);
	uint32_t id = t->party.id, target = ev->target;
	uint64_t tail = dh_goldi_tail(g);
	switch ((enum dh_op)ev->op) {
	case DH_ACQUIRE:
	case DH_READ_ACQUIRE:
		acquire(g, th, target, ev->op == DH_ACQUIRE);
		break;
	case DH_RELEASE:
	case DH_READ_RELEASE:
		release(g, th, target, ev->op == DH_RELEASE);
		break;
	case DH_JOIN:
		join(g, th, dh_sparse_get(&g->threads, target));
		break;
	case DH_SEND:
		give(g, th, dh_goldi_element_at(e, dh_goldi_message_of(e, target)));
		break;
	case DH_RECEIVE:
		take(g, th, *dh_goldi_message_of(e, target));
		break;
	case DH_BARRIER_ENTER:
		give(g, th, dh_goldi_barrier_enter(e, target, id, tail));
		break;
	case DH_BARRIER_LEAVE:
		take(g, th, dh_goldi_barrier_leave(e, target, id, tail));
		break;
	case DH_VOLATILE_WRITE:
		give(g, th, dh_goldi_element_at(e, dh_goldi_volatile_of(e, target)));
		break;
	case DH_VOLATILE_READ:
		take(g, th, *dh_goldi_volatile_of(e, target));
		break;
	case DH_FORK: /* done when the child began */
	case DH_READ:
	case DH_WRITE:
	case DH_ALLOC:
	case DH_METHOD_BEGIN:
	case DH_METHOD_END:
	case DH_OP_COUNT:
		break;
	}
}

void dh_goldi_sync(struct dh_goldi *g, const struct dh_thread *t,
		   const struct dh_event *ev)
{
	step(g, t, ev);
	collect_if_due(g);
}

/* A place for the object, and for a step that gives, its element: then the step makes
 * neither. */
static bool is_made(const struct dh_goldi_elements *e, const struct dh_event *ev)
{
	uint32_t n = ev->target;
	switch ((enum dh_op)ev->op) {
	case DH_ACQUIRE:
	case DH_READ_ACQUIRE:
		return n < e->locks.len;
	case DH_RELEASE:
		return n < e->locks.len && e->locks.at[n].write;
	case DH_READ_RELEASE:
		return n < e->locks.len && e->locks.at[n].read;
	case DH_SEND:
		return n < e->messages.len && e->messages.at[n];
	case DH_RECEIVE:
		return n < e->messages.len;
	case DH_VOLATILE_WRITE:
		return n < e->volatiles.len && e->volatiles.at[n];
	case DH_VOLATILE_READ:
		return n < e->volatiles.len;
	default:
		return false;
	}
}

bool dh_goldi_sync_shared(struct dh_goldi *g, const struct dh_thread *t,
			  const struct dh_event *ev)
{
	bool can = is_made(&g->elements, ev);
	if (can)
		step(g, t, ev);
	return can;
}

/* Its elements are given to others once no cell speaks of them. */
static void retire(struct dh_goldi *g, uint32_t element)
{
	if (element)
		dh_vec_push(&g->elements.retired,
			    (struct dh_goldi_retired){element, dh_goldi_tail(g)});
}

static void retire_at(struct dh_goldi *g, uint32_t *place)
{
	retire(g, *place);
	*place = 0;
}

void dh_goldi_forget(struct dh_goldi *g, enum dh_name_kind kind, uint32_t number)
{
	struct dh_goldi_elements *e = &g->elements;
	if (kind == DH_NAME_LOCK) {
		struct dh_goldi_lock *l = dh_goldi_lock_of(e, number);
		retire_at(g, &l->write);
		retire_at(g, &l->read);
		l->last = 0;
	} else if (kind == DH_NAME_MESSAGE) {
		retire_at(g, dh_goldi_message_of(e, number));
	} else if (kind == DH_NAME_VOLATILE) {
		retire_at(g, dh_goldi_volatile_of(e, number));
	}
}

/* The thread keeps its element: settle() has to know of it as long as there are cells
 * that do, which is as long as no other gets it. */
void dh_goldi_end(struct dh_goldi *g, const struct dh_thread *t, bool alone)
{
	struct dh_goldi_thread *th = dh_goldi_thread(g, t);
	dh_goldi_close_frame(g, th);
	if (!th->joined)
		th->joined = dh_goldi_tail(g);
	if (alone && !th->retired) {
		th->retired = true;
		retire(g, th->element);
	}
	dh_goldi_work_end(g, th);
}
