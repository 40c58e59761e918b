/* SPDX-License-Identifier: MIT */
/*
 * Origins, and the lazy evaluation of their locksets (Goldilocks, section 3,
 * Apply-Lockset-Rules); terms and invariants are in goldi.h.
 *
 * An evaluation goes on from where the last one of the same origin stopped, and serves
 * all variables that were accessed in the same frame. It ends where the thread in
 * question is found, or behind the last cell that leads to this thread: later ones
 * cannot add it. So no origin is taken over the same cell twice.
 */
#include "engines/goldi.h"

void dh_goldi_init(struct dh_goldi *g)
{
	*g = (struct dh_goldi){
	    .limit = DH_GOLDI_LIMIT, .merge_at = DH_GOLDI_MERGE, .origins_made = 1};
	dh_goldi_elements_init(&g->elements);
	dh_goldi_list_init(&g->list);
}

void dh_goldi_fini(struct dh_goldi *g)
{
	dh_goldi_origins_fini(g);
	dh_goldi_elements_free(&g->elements);
	dh_goldi_matrix_free(&g->matrix);
	dh_goldi_list_free(&g->list);
	dh_vec_free(&g->starts);
}

void dh_goldi_counts_move(struct dh_goldi_counts *to, struct dh_goldi_counts *from)
{
	uint64_t *sum = (uint64_t *)to, *part = (uint64_t *)from;
	for (size_t i = 0; i < sizeof *to / sizeof *sum; i++) {
		sum[i] += part[i];
		part[i] = 0;
	}
}

void dh_goldi_tally(struct dh_goldi *g)
{
	const struct dh_goldi_thread *th;
	for (uint32_t i = 0; (th = dh_sparse_next(&g->threads, &i)); i++)
		if (th->work)
			dh_goldi_counts_move(&g->counts, &th->work->counts);
	g->list_peak = DH_MAX(g->list_peak, (uint64_t)dh_goldi_list_len(&g->list));
}

/* ---- bits ---- */

enum { BITS_STEP = 4 }; /* words */

static size_t bits_bytes(uint32_t words)
{
	return sizeof(struct dh_goldi_bits) + words * sizeof(uint64_t);
}

void dh_goldi_bits_free(struct dh_goldi_origin *o)
{
	if (o->bits)
		dh_mem_free(o->bits, bits_bytes(o->bits->words));
	o->bits = NULL;
}

/* Room for every element that there is, so that a walk need not look. The thread that
 * made the access is in every lockset of it, until its element is another's. */
static void bits_make(struct dh_goldi *g, struct dh_goldi_origin *o)
{
	uint32_t have = o->bits ? o->bits->words : 0,
		 need = (g->elements.count + 63) / 64;
	if (DH_LIKELY(need <= have))
		return;
	need = (need + BITS_STEP - 1) / BITS_STEP * BITS_STEP;
	o->bits = dh_mem_resize(o->bits, have ? bits_bytes(have) : 0, bits_bytes(need));
	o->bits->words = need;
	if (!have && !o->column)
		o->bits->at[o->thread / 64] |= 1ull << o->thread % 64;
}

DH_INLINE bool bits_has(const struct dh_goldi_bits *b, uint32_t element)
{
	return b->at[element / 64] >> element % 64 & 1;
}

/* ---- infos ---- */

/* The origin that answers for the info's; the info refers to it from now on. */
static struct dh_goldi_origin *origin_of(struct dh_goldi *g, struct dh_goldi_info *i)
{
	uint32_t number = i->origin;
	struct dh_goldi_origin *o = dh_goldi_origin(g, number);
	if (DH_LIKELY(!o->merged))
		return o;
	for (; o->merged; o = dh_goldi_origin(g, number))
		number = o->merged;
	dh_goldi_origin_ref(g, number);
	dh_goldi_origin_unref(g, i->origin, 1);
	i->origin = number;
	return o;
}

void dh_goldi_info_set(struct dh_goldi *g, struct dh_goldi_info *i,
		       const struct dh_thread *t, const struct dh_access *a)
{
	struct dh_goldi_thread *th = dh_goldi_thread(g, t);
	uint32_t origin = dh_goldi_frame_origin(g, th);
	i->mark = dh_access_mark(t, a);
	if (i->origin == origin)
		return;
	th->handed++;
	DH_CHECK(th->handed < DH_GOLDI_LOAN);
	if (i->origin)
		dh_goldi_origin_unref(g, i->origin, 1);
	i->origin = origin;
}

void dh_goldi_info_copy(struct dh_goldi *g, struct dh_goldi_info *i,
			const struct dh_goldi_info *from)
{
	*i = *from;
	if (i->origin)
		dh_goldi_origin_ref(g, i->origin);
}

void dh_goldi_info_drop(struct dh_goldi *g, struct dh_goldi_info *i)
{
	if (i->origin)
		dh_goldi_origin_unref(g, i->origin, 1);
	*i = (struct dh_goldi_info){0};
}

/* ---- evaluation ---- */

/* Is the element in the lockset, as far as that has been evaluated? */
static bool has(const struct dh_goldi *g, const struct dh_goldi_origin *o,
		uint32_t element)
{
	if (o->bits && element / 64 < o->bits->words && bits_has(o->bits, element))
		return true;
	if (o->column)
		return dh_goldi_matrix_has(&g->matrix, element, o->column - 1);
	return !o->bits && element == o->thread;
}

/* Applies cells of one piece, or those until `wanted` is added. Returns how many. The
 * body for young origins, whose bits are all there is, and for aged ones. */
DH_INLINE size_t walk_piece(const struct dh_goldi *g, struct dh_goldi_origin *o,
			    const uint64_t *piece, size_t count, uint32_t wanted,
			    bool aged)
{
	uint64_t *bits = o->bits->at;
	for (size_t i = 0; i < count; i++) {
		struct dh_goldi_cell c = dh_goldi_cell_of(&piece[i]);
		if (!bits_has(o->bits, c.from) &&
		    !(aged && dh_goldi_matrix_has(&g->matrix, c.from, o->column - 1)))
			continue;
		bits[c.to / 64] |= 1ull << c.to % 64;
		if (c.to == wanted)
			return i + 1;
	}
	return count;
}

/* Applies the cells up to position `end`, or until `wanted` is added. */
static DH_NOINLINE bool walk(struct dh_goldi *g, struct dh_goldi_origin *o,
			     struct dh_goldi_counts *counts, uint64_t end,
			     uint32_t wanted)
{
	uint64_t first = o->position, at = first;
	bits_make(g, o);
	while (at < end && !bits_has(o->bits, wanted)) {
		size_t count;
		const uint64_t *piece = dh_goldi_list_piece(&g->list, at, &count);
		count = DH_MIN(count, (size_t)(end - at));
		at += o->column ? walk_piece(g, o, piece, count, wanted, true)
				: walk_piece(g, o, piece, count, wanted, false);
	}
	/* Atomic: others look whether the frame is open, and no more. */
	__atomic_store_n(&o->position, at, __ATOMIC_RELAXED);
	counts->cells_walked += at - first;
	__atomic_fetch_add(&g->debt, at - first, __ATOMIC_RELAXED);
	return bits_has(o->bits, wanted);
}

/* Is it said where nobody changes it but alone? */
static bool is_fixed(const struct dh_goldi *g, const struct dh_goldi_origin *o,
		     const struct dh_goldi_thread *th)
{
	return th->root < o->settled ||
	       (o->column && dh_goldi_matrix_has(&g->matrix, th->element, o->column - 1));
}

static bool is_open(const struct dh_goldi_origin *o)
{
	/* Acquire: once it is not, position is read under the origin's lock only. */
	return __atomic_load_n(&o->position, __ATOMIC_ACQUIRE) == DH_GOLDI_OPEN;
}

static void origin_lock(const struct dh_goldi *g, struct dh_goldi_origin *o)
{
	if (g->shared)
		dh_brief_lock(&o->lock);
}

static void origin_unlock(const struct dh_goldi *g, struct dh_goldi_origin *o)
{
	if (g->shared)
		dh_brief_unlock(&o->lock);
}

/* (L): what was found once needs no evaluation. */
bool dh_goldi_known_before(struct dh_goldi *g, struct dh_goldi_info *i,
			   const struct dh_thread *t)
{
	struct dh_goldi_origin *o = origin_of(g, i);
	const struct dh_goldi_thread *th = dh_goldi_thread(g, t);
	if (is_fixed(g, o, th))
		return true;
	if (is_open(o))
		return false;
	origin_lock(g, o);
	bool known = has(g, o, th->element);
	origin_unlock(g, o);
	return known;
}

/* The origin is closed, and its lock held. */
static bool evaluate(struct dh_goldi *g, struct dh_goldi_origin *o,
		     const struct dh_goldi_thread *th)
{
	if (has(g, o, th->element)) {
		th->counts->proven++;
		return true;
	}
	if (th->learned <= o->position) { /* nothing has come to this thread */
		th->counts->refuted++;
		return false;
	}
	th->counts->full_walks++;
	return walk(g, o, th->counts, th->learned, th->element);
}

bool dh_goldi_before(struct dh_goldi *g, struct dh_goldi_info *i,
		     const struct dh_thread *t)
{
	struct dh_goldi_origin *o = origin_of(g, i);
	const struct dh_goldi_thread *th = dh_goldi_thread(g, t);
	if (is_fixed(g, o, th)) {
		th->counts->proven++;
		return true;
	}
	if (is_open(o)) { /* nothing has left the other's frame */
		th->counts->refuted++;
		return false;
	}
	origin_lock(g, o);
	bool before = evaluate(g, o, th);
	origin_unlock(g, o);
	return before;
}

/* ---- inspection ---- */

void dh_goldi_set_limit(struct dh_engine *e, size_t cells)
{
	struct dh_goldi *g = &((struct dh_goldi_engine *)e)->core;
	DH_CHECK(cells >= 2);
	g->limit = cells;
	g->limit_fixed = true;
	g->merge_at = 1;
}

static bool lockset_has(struct dh_goldi *g, struct dh_goldi_info *i, uint32_t element)
{
	struct dh_goldi_origin *o = origin_of(g, i);
	if (o->position == DH_GOLDI_OPEN)
		return element == o->thread;
	if (element && !has(g, o, element))
		walk(g, o, &g->counts, dh_goldi_tail(g), element);
	return element && has(g, o, element);
}

bool dh_goldi_lockset_has(struct dh_engine *e, void *cell, enum dh_name_kind kind,
			  uint32_t number)
{
	struct dh_goldi *g = &((struct dh_goldi_engine *)e)->core;
	struct dh_goldi_info *i = cell;
	const struct dh_goldi_thread *th;
	if (!i->origin)
		return false;
	switch (kind) {
	case DH_NAME_THREAD:
		th = dh_sparse_get(&g->threads, number);
		return th && lockset_has(g, i, th->element);
	case DH_NAME_LOCK:
		return lockset_has(g, i, dh_goldi_lock_of(&g->elements, number)->write) ||
		       lockset_has(g, i, dh_goldi_lock_of(&g->elements, number)->read);
	case DH_NAME_MESSAGE:
		return lockset_has(g, i, *dh_goldi_message_of(&g->elements, number));
	case DH_NAME_VOLATILE:
		return lockset_has(g, i, *dh_goldi_volatile_of(&g->elements, number));
	default:
		return false;
	}
}
