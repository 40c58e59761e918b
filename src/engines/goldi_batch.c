/* SPDX-License-Identifier: MIT */
/*
 * Reclamation of the update list (Goldilocks, section 3, Garbage-Collect-Cells).
 *
 * The paper frees the cells that no variable points to or before. One variable that is
 * not accessed again then keeps the whole list. Here the locksets that are behind are
 * instead evaluated over the oldest half of the list, all in one pass and 64 per word
 * (goldi_matrix.h), and the cells are freed whoever pointed to them.
 *
 * An origin enters the pass at the cell up to which it has been evaluated, and is a
 * column from then on. Columns that have become equal stay equal, because the rules
 * look at nothing but the lockset; so they are merged, and columns that no variable
 * refers to any more are dropped. How many remain does not depend on the length of the
 * run: the locksets of one thread's accesses are nested, the older ones being the larger,
 * so that a thread has no more distinct locksets than there are elements.
 *
 * Settled: if a lockset contains, at position p, every thread that has begun and was
 * not joined, then every thread whose root ancestor had begun at p is or will be in it:
 * its ancestor that was there at p was in, and each fork from there on hands it down.
 * Threads that start by themselves after p still need the column.
 *
 * When to collect. Normally at DH_GOLDI_LIMIT cells. Where walks are long: as soon as
 * they have cost as much as a pass would. Where columns turn out to be many and distinct
 * (many variables under many locks): the pass is cut short and the list is let grow, up
 * to its ceiling, because origins of variables that are accessed again in the meantime
 * need no column.
 */
#include "engines/goldi.h"

enum {
	CELLS_PER_ORIGIN = 16,
	CROWDED = 1024, /* distinct columns that are too many */
	REUSE_AT = 32,	/* retired elements, likewise */
	/* What a pass costs, in steps of a walk. */
	DEBT_LEAST = 4096,
	STEPS_PER_COLUMN = 32, /* to make and merge one */
	COLUMNS_PER_STEP = 256,
	MATRIX_MOST = 256 << 20, /* bytes beyond which only the ceiling makes columns */
};

/* Puts every young origin that the pass meets into a list at the cell where it enters;
 * the lists run through `column`. */
static void schedule(struct dh_goldi *g, size_t count)
{
	size_t kept = 0;
	dh_vec_grow(&g->starts, count);
	for (size_t i = 0; i < g->young.len; i++) {
		uint32_t origin = g->young.at[i];
		struct dh_goldi_origin *o = dh_goldi_origin(g, origin);
		if (o->position - g->list.base >= count) {
			g->young.at[kept++] = origin;
		} else {
			uint32_t *start = &g->starts.at[o->position - g->list.base];
			o->column = *start;
			*start = origin;
		}
	}
	g->young.len = kept;
}

static void make_column(struct dh_goldi *g, uint32_t origin)
{
	struct dh_goldi_origin *o = dh_goldi_origin(g, origin);
	uint32_t column = g->matrix.columns++;
	dh_vec_push(&g->aged, origin);
	o->column = column + 1;
	g->infos_aged++;
	if (!o->bits) {
		dh_goldi_matrix_set(&g->matrix, o->thread, column);
		return;
	}
	for (uint32_t w = 0; w < o->bits->words; w++)
		for (uint64_t rest = o->bits->at[w]; rest; rest &= rest - 1)
			dh_goldi_matrix_set(
			    &g->matrix, w * 64 + (uint32_t)__builtin_ctzll(rest), column);
	dh_goldi_bits_free(o);
}

static void enter(struct dh_goldi *g, size_t cell)
{
	uint32_t origin = g->starts.at[cell];
	g->starts.at[cell] = 0;
	while (origin) {
		uint32_t next = dh_goldi_origin(g, origin)->column;
		make_column(g, origin);
		origin = next;
	}
}

/* ---- merging ---- */

static void answer_for(struct dh_goldi *g, uint32_t leader, uint32_t origin)
{
	struct dh_goldi_origin *o = dh_goldi_origin(g, origin);
	dh_goldi_bits_free(o);
	o->column = 0;
	o->merged = leader;
	dh_goldi_origin_ref(g, leader);
	dh_vec_push(&g->merged, origin);
}

static void merge(struct dh_goldi *g)
{
	size_t bytes = g->aged.len * sizeof(uint32_t);
	uint32_t *into = dh_mem_alloc(bytes), kept = 0;
	for (size_t c = 0; c < g->aged.len; c++)
		into[c] = dh_goldi_origin(g, g->aged.at[c])->refs ? 0 : DH_GOLDI_DROP;
	dh_goldi_matrix_merge(&g->matrix, into);
	for (size_t c = 0; c < g->aged.len; c++) {
		uint32_t origin = g->aged.at[c];
		if (into[c] == DH_GOLDI_DROP) {
			dh_goldi_origin_free(g, NULL, origin);
		} else if (into[c] == kept) {
			g->aged.at[kept++] = origin;
			dh_goldi_origin(g, origin)->column = kept;
		} else {
			answer_for(g, g->aged.at[into[c]], origin);
		}
	}
	g->aged.len = kept;
	dh_mem_free(into, bytes);
	g->merge_at = g->limit_fixed ? kept + 1
				     : 2 * kept + DH_GOLDI_MERGE + g->elements.count / 16;
}

/* ---- after the pass ---- */

/* (P): what lies before base is in the columns now. */
static void catch_up(struct dh_goldi *g)
{
	for (size_t c = 0; c < g->aged.len; c++) {
		struct dh_goldi_origin *o = dh_goldi_origin(g, g->aged.at[c]);
		if (o->position > g->list.base)
			continue;
		o->position = g->list.base;
		dh_goldi_bits_free(o);
	}
}

/* Does the thread do nothing from base on? */
static bool is_gone(const struct dh_goldi *g, const struct dh_goldi_thread *th)
{
	return th->joined && th->joined <= g->list.base;
}

static void settle(struct dh_goldi *g)
{
	uint64_t position = g->list.base;
	size_t words = ((size_t)g->matrix.columns + 63) / 64;
	if (words == 0)
		return;
	uint64_t *all = dh_mem_alloc(words * sizeof *all);
	for (size_t i = 0; i < words; i++)
		all[i] = ~0ull;
	const struct dh_goldi_thread *th;
	for (uint32_t i = 0; (th = dh_sparse_next(&g->threads, &i)); i++)
		if (th->begun <= position && !is_gone(g, th))
			dh_goldi_matrix_meet(&g->matrix, th->element, all);
	for (uint32_t c = 0; c < g->matrix.columns; c++) {
		struct dh_goldi_origin *o = dh_goldi_origin(g, g->aged.at[c]);
		if (!(all[c / 64] >> c % 64 & 1))
			continue;
		g->settled += o->settled == 0;
		o->settled = position + 1;
	}
	dh_mem_free(all, words * sizeof *all);
}

/* Nobody asks for a thread that is retired, once settle() does not. */
static void forget_threads(struct dh_goldi *g)
{
	struct dh_goldi_thread *th;
	for (uint32_t i = 0; (th = dh_sparse_next(&g->threads, &i)); i++)
		if (th->retired && is_gone(g, th))
			dh_goldi_thread_free(g, th);
}

/* Takes the elements of the mask out of the bits that origins have of their own. */
static void forget(struct dh_goldi *g, const uint32_t *origins, size_t count,
		   const uint64_t *mask, size_t words)
{
	for (size_t i = 0; i < count; i++) {
		struct dh_goldi_bits *b = dh_goldi_origin(g, origins[i])->bits;
		for (size_t w = 0; b && w < DH_MIN((size_t)b->words, words); w++)
			b->at[w] &= ~mask[w];
	}
}

/* So many of the retired elements, which are in the order of their positions, have all
 * their cells before this one; at least `least` have. */
static size_t count_gone(const struct dh_goldi_elements *e, size_t least,
			 uint64_t position)
{
	size_t gone = least;
	while (gone < e->retired.len && e->retired.at[gone].position < position)
		gone++;
	return gone;
}

/* Gives numbers free of which no cell is left. */
static void reuse_elements(struct dh_goldi *g)
{
	struct dh_goldi_elements *e = &g->elements;
	size_t gone = count_gone(e, 0, g->list.base), kept = e->retired.len - gone;
	if (gone == 0 || (e->retired.len < REUSE_AT && !g->limit_fixed))
		return;
	size_t words = (e->count + 63) / 64;
	uint64_t *mask = dh_mem_alloc(words * sizeof *mask);
	for (size_t i = 0; i < gone; i++) {
		uint32_t element = e->retired.at[i].element;
		mask[element / 64] |= 1ull << element % 64;
		dh_goldi_matrix_clear(&g->matrix, element);
		dh_vec_push(&e->unused, element);
	}
	forget(g, g->young.at, g->young.len, mask, words);
	forget(g, g->aged.at, g->aged.len, mask, words);
	dh_mem_free(mask, words * sizeof *mask);
	for (size_t i = 0; i < kept; i++)
		e->retired.at[i] = e->retired.at[gone + i];
	e->retired.len = kept;
}

/* ---- the pass ---- */

/* Takes those that the pass did not reach back. */
static void unschedule(struct dh_goldi *g, size_t from, size_t count)
{
	for (size_t i = from; i < count; i++) {
		uint32_t origin = g->starts.at[i];
		g->starts.at[i] = 0;
		while (origin) {
			struct dh_goldi_origin *o = dh_goldi_origin(g, origin);
			uint32_t next = o->column;
			o->column = 0;
			dh_vec_push(&g->young, origin);
			origin = next;
		}
	}
}

/* The pass is at this position: what was retired before needs no row, and makes no
 * difference between columns. The first `gone` are done; returns how many are now. */
static size_t clear_gone(struct dh_goldi *g, size_t gone, uint64_t position)
{
	size_t now = count_gone(&g->elements, gone, position);
	for (; gone < now; gone++)
		dh_goldi_matrix_clear(&g->matrix, g->elements.retired.at[gone].element);
	return now;
}

static struct dh_goldi_cell cell_at(const struct dh_goldi *g, uint64_t position)
{
	size_t count;
	return dh_goldi_cell_of(dh_goldi_list_piece(&g->list, position, &count));
}

/* Evaluates the columns over the first cells; stops after `most`, or where there are
 * too many columns unless `all` must be done. Returns how many cells were done. */
static size_t pass(struct dh_goldi *g, size_t most, bool all)
{
	size_t done = 0, gone = 0;
	bool crowded = false;
	schedule(g, most);
	while (done < most && !crowded) {
		struct dh_goldi_cell c = cell_at(g, g->list.base + done);
		if (DH_UNLIKELY(g->starts.at[done]))
			enter(g, done);
		dh_goldi_matrix_spread(&g->matrix, c.from, c.to);
		gone = clear_gone(g, gone, g->list.base + done);
		if (DH_UNLIKELY(g->aged.len >= g->merge_at)) {
			merge(g);
			crowded = !all && g->aged.len > CROWDED;
		}
		done++;
	}
	unschedule(g, done, most);
	return done;
}

/* Those that are not retired. With all of them in the ceiling, a longer list would keep
 * more retired ones, and these would let the list grow longer. */
static size_t live_elements(const struct dh_goldi_elements *e)
{
	return e->count - e->unused.len - e->retired.len;
}

/* The most that the list may grow to: where columns would take more memory than cells
 * do, cells it is. */
static size_t ceiling(const struct dh_goldi *g)
{
	if (g->limit_fixed)
		return g->limit;
	size_t columns = g->aged.len + g->young.len;
	size_t bytes = columns * live_elements(&g->elements) / 8;
	size_t most = DH_MAX((size_t)CELLS_PER_ORIGIN * g->origins_used,
			     bytes / sizeof(struct dh_goldi_cell));
	return DH_MAX(most, (size_t)DH_GOLDI_LIMIT);
}

/* Brings the limits up to date. */
static void adapt(struct dh_goldi *g)
{
	size_t per_cell = 2 + g->merge_at / COLUMNS_PER_STEP;
	g->limit = DH_MIN(g->limit, ceiling(g));
	g->debt_limit = DEBT_LEAST + dh_goldi_list_len(&g->list) * per_cell +
			g->young.len * STEPS_PER_COLUMN;
	if (g->aged.len * g->elements.count / 8 > MATRIX_MOST)
		g->debt_limit = UINT64_MAX; /* rather walk than use still more memory */
}

void dh_goldi_collect(struct dh_goldi *g)
{
	dh_goldi_gather(g);
	adapt(g);
	if (!dh_goldi_is_due(g))
		return;
	size_t len = dh_goldi_list_len(&g->list), half = (len + 1) / 2;
	size_t done = pass(g, half, len >= ceiling(g));
	dh_goldi_list_reclaim(&g->list, done);
	g->cells_reclaimed += done;
	g->collections++;
	g->list_peak = DH_MAX(g->list_peak, (uint64_t)len);
	g->debt = 0;
	catch_up(g);
	settle(g);
	forget_threads(g);
	reuse_elements(g);
	if (g->limit_fixed)
		return;
	if (done < half)
		g->limit = DH_MAX(g->limit, 4 * len);
	else if (g->aged.len < CROWDED / 8)
		g->limit = DH_MAX((size_t)DH_GOLDI_LIMIT, g->limit / 2);
}
