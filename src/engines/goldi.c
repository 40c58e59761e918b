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
	*g = (struct dh_goldi){.limit = DH_GOLDI_LIMIT, .merge_at = DH_GOLDI_MERGE};
	dh_goldi_elements_init(&g->elements);
	dh_vec_grow(&g->origins, 1);
}

void dh_goldi_fini(struct dh_goldi *g)
{
	for (size_t i = 0; i < g->origins.len; i++)
		dh_goldi_bits_free(&g->origins.at[i]);
	dh_goldi_elements_free(&g->elements);
	dh_goldi_matrix_free(&g->matrix);
	dh_vec_free(&g->cells);
	dh_vec_free(&g->threads);
	dh_vec_free(&g->origins);
	dh_vec_free(&g->young);
	dh_vec_free(&g->aged);
	dh_vec_free(&g->starts);
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

/* ---- origins ---- */

static uint32_t origin_new(struct dh_goldi *g)
{
	uint32_t number = g->origins_unused;
	if (number) {
		g->origins_unused = g->origins.at[number].merged;
	} else {
		number = (uint32_t)g->origins.len;
		DH_CHECK(number < UINT32_MAX);
		dh_vec_grow(&g->origins, (size_t)number + 1);
	}
	g->origins_used++;
	return number;
}

void dh_goldi_origin_free(struct dh_goldi *g, uint32_t origin)
{
	struct dh_goldi_origin *o = &g->origins.at[origin];
	dh_goldi_bits_free(o);
	*o = (struct dh_goldi_origin){.merged = g->origins_unused};
	g->origins_unused = origin;
	g->origins_used--;
}

static void young_add(struct dh_goldi *g, uint32_t origin)
{
	g->origins.at[origin].place = (uint32_t)g->young.len;
	dh_vec_push(&g->young, origin);
}

static void young_remove(struct dh_goldi *g, uint32_t place)
{
	uint32_t last = dh_vec_pop(&g->young);
	g->young.at[place] = last;
	g->origins.at[last].place = place;
}

void dh_goldi_origin_unref(struct dh_goldi *g, uint32_t origin)
{
	while (origin && --g->origins.at[origin].refs == 0) {
		const struct dh_goldi_origin *o = &g->origins.at[origin];
		uint32_t merged = o->merged;
		if (o->column)
			return;
		if (!merged)
			young_remove(g, o->place);
		dh_goldi_origin_free(g, origin);
		origin = merged;
	}
}

/* The origin of the thread's present frame. */
static uint32_t frame_origin(struct dh_goldi *g, struct dh_goldi_thread *th)
{
	if (DH_LIKELY(th->open))
		return th->open;
	th->open = origin_new(g);
	g->origins.at[th->open] = (struct dh_goldi_origin){
	    .position = DH_GOLDI_OPEN,
	    .refs = 1,
	    .thread = th->element,
	};
	return th->open;
}

void dh_goldi_close_frame(struct dh_goldi *g, struct dh_goldi_thread *th)
{
	uint32_t origin = th->open;
	if (!origin)
		return;
	th->open = 0;
	struct dh_goldi_origin *o = &g->origins.at[origin];
	o->position = dh_goldi_tail(g);
	if (--o->refs == 0)
		dh_goldi_origin_free(g, origin);
	else
		young_add(g, origin);
}

/* The origin that answers for the info's; the info refers to it from now on. */
static struct dh_goldi_origin *origin_of(struct dh_goldi *g, struct dh_goldi_info *i)
{
	uint32_t origin = i->origin;
	while (DH_UNLIKELY(g->origins.at[origin].merged))
		origin = g->origins.at[origin].merged;
	if (DH_UNLIKELY(origin != i->origin)) {
		g->origins.at[origin].refs++;
		dh_goldi_origin_unref(g, i->origin);
		i->origin = origin;
	}
	return &g->origins.at[origin];
}

/* ---- infos ---- */

void dh_goldi_info_set(struct dh_goldi *g, struct dh_goldi_info *i,
		       const struct dh_thread *t, const struct dh_access *a)
{
	uint32_t origin = frame_origin(g, dh_goldi_thread(g, t));
	i->mark = dh_access_mark(t, a);
	if (i->origin == origin)
		return;
	g->origins.at[origin].refs++;
	dh_goldi_origin_unref(g, i->origin);
	i->origin = origin;
}

void dh_goldi_info_copy(struct dh_goldi *g, struct dh_goldi_info *i,
			const struct dh_goldi_info *from)
{
	*i = *from;
	if (i->origin)
		g->origins.at[i->origin].refs++;
}

void dh_goldi_info_drop(struct dh_goldi *g, struct dh_goldi_info *i)
{
	dh_goldi_origin_unref(g, i->origin);
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

/* Applies the cells up to position `end`, or until `wanted` is added. The body for
 * young origins, whose bits are all there is, and for aged ones. */
DH_INLINE bool walk_cells(struct dh_goldi *g, struct dh_goldi_origin *o, uint64_t end,
			  uint32_t wanted, bool aged)
{
	uint64_t *bits = o->bits->at;
	const struct dh_goldi_cell *first = g->cells.at + (o->position - g->base);
	const struct dh_goldi_cell *stop = g->cells.at + (end - g->base), *c;
	bool found = false;
	for (c = first; c < stop && !found; c++) {
		if (!bits_has(o->bits, c->from) &&
		    !(aged && dh_goldi_matrix_has(&g->matrix, c->from, o->column - 1)))
			continue;
		bits[c->to / 64] |= 1ull << c->to % 64;
		found = c->to == wanted;
	}
	g->cells_walked += (uint64_t)(c - first);
	g->debt += (uint64_t)(c - first);
	o->position += (uint64_t)(c - first);
	return found;
}

static DH_NOINLINE bool walk(struct dh_goldi *g, struct dh_goldi_origin *o, uint64_t end,
			     uint32_t wanted)
{
	bits_make(g, o);
	return o->column ? walk_cells(g, o, end, wanted, true)
			 : walk_cells(g, o, end, wanted, false);
}

/* (L): what was found once needs no evaluation. */
static bool is_known(const struct dh_goldi *g, const struct dh_goldi_origin *o,
		     const struct dh_goldi_thread *th)
{
	return o->position != DH_GOLDI_OPEN &&
	       (th->root < o->settled || has(g, o, th->element));
}

bool dh_goldi_known_before(struct dh_goldi *g, struct dh_goldi_info *i,
			   const struct dh_thread *t)
{
	return is_known(g, origin_of(g, i), dh_goldi_thread(g, t));
}

bool dh_goldi_before(struct dh_goldi *g, struct dh_goldi_info *i,
		     const struct dh_thread *t)
{
	struct dh_goldi_origin *o = origin_of(g, i);
	const struct dh_goldi_thread *th = dh_goldi_thread(g, t);
	if (is_known(g, o, th)) {
		g->proven++;
		return true;
	}
	/* Nothing has left the other's frame, or nothing has come to this thread. */
	if (th->learned <= o->position) {
		g->refuted++;
		return false;
	}
	g->full_walks++;
	return walk(g, o, th->learned, th->element);
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
		walk(g, o, dh_goldi_tail(g), element);
	return element && has(g, o, element);
}

bool dh_goldi_lockset_has(struct dh_engine *e, void *cell, enum dh_name_kind kind,
			  uint32_t number)
{
	struct dh_goldi *g = &((struct dh_goldi_engine *)e)->core;
	struct dh_goldi_info *i = cell;
	if (!i->origin)
		return false;
	switch (kind) {
	case DH_NAME_THREAD:
		return number < g->threads.len &&
		       lockset_has(g, i, g->threads.at[number].element);
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
