/* SPDX-License-Identifier: MIT */
/*
 * The lives of origins; terms and invariants are in goldi.h.
 *
 * A number is taken by a thread from its stock when a frame gets its first access. When
 * the frame ends the origin goes to the thread's own list, and where nobody refers to it
 * any more (Z), from there to the stock again: the thread looks whenever the list has
 * doubled, so that a look costs no more than what was put in. Stocks are filled from a
 * pool under a lock, many at a time. Reclamation, which is done alone, takes the lists of
 * all threads.
 */
#include "engines/goldi.h"

enum { STOCK = 8, STOCK_MOST = 64, SWEEP_LEAST = 4 };

/* ---- numbers ---- */

static DH_COLD void fill_stock(struct dh_goldi *g, struct dh_goldi_work *w)
{
	dh_lock(&g->pool);
	for (int i = 0; i < STOCK; i++) {
		uint32_t number = g->origins_unused;
		if (number) {
			g->origins_unused = dh_goldi_origin(g, number)->merged;
		} else {
			number = g->origins_made++;
			DH_CHECK(number < UINT32_MAX);
			dh_stable_make(&g->origins, number,
				       sizeof(struct dh_goldi_origin));
		}
		dh_vec_push(&w->stock, number);
	}
	g->origins_used += STOCK;
	dh_unlock(&g->pool);
}

static void to_pool(struct dh_goldi *g, uint32_t number)
{
	dh_lock(&g->pool);
	dh_goldi_origin(g, number)->merged = g->origins_unused;
	g->origins_unused = number;
	g->origins_used--;
	dh_unlock(&g->pool);
}

void dh_goldi_origin_free(struct dh_goldi *g, struct dh_goldi_work *to, uint32_t number)
{
	struct dh_goldi_origin *o = dh_goldi_origin(g, number);
	dh_goldi_bits_free(o);
	*o = (struct dh_goldi_origin){0};
	if (to && (to->stock.len < STOCK_MOST || !g->shared))
		dh_vec_push(&to->stock, number);
	else
		to_pool(g, number);
}

/* ---- frames ---- */

uint32_t dh_goldi_frame_origin(struct dh_goldi *g, struct dh_goldi_thread *th)
{
	if (DH_LIKELY(th->open))
		return th->open;
	if (DH_UNLIKELY(!th->work->stock.len))
		fill_stock(g, th->work);
	th->open = dh_vec_pop(&th->work->stock);
	th->handed = 0;
	*dh_goldi_origin(g, th->open) = (struct dh_goldi_origin){
	    .position = DH_GOLDI_OPEN,
	    .refs = 1 + DH_GOLDI_LOAN,
	    .thread = th->element,
	};
	return th->open;
}

static bool is_unused(const struct dh_goldi *g, uint32_t number)
{
	/* Acquire: who gave up the last reference has done with it. */
	return __atomic_load_n(&dh_goldi_origin(g, number)->refs, __ATOMIC_ACQUIRE) == 0;
}

static DH_NOINLINE void sweep(struct dh_goldi *g, struct dh_goldi_work *w)
{
	size_t kept = 0;
	for (size_t i = 0; i < w->young.len; i++) {
		uint32_t number = w->young.at[i];
		if (is_unused(g, number))
			dh_goldi_origin_free(g, w, number);
		else
			w->young.at[kept++] = number;
	}
	w->young.len = kept;
	w->sweep_at = DH_MAX(2 * kept, (size_t)SWEEP_LEAST);
}

void dh_goldi_close_frame(struct dh_goldi *g, struct dh_goldi_thread *th)
{
	uint32_t number = th->open;
	if (!number)
		return;
	th->open = 0;
	struct dh_goldi_origin *o = dh_goldi_origin(g, number);
	/* Release: see is_open() in goldi.c. */
	__atomic_store_n(&o->position, dh_goldi_tail(g), __ATOMIC_RELEASE);
	if (dh_goldi_origin_unref(g, number, 1 + DH_GOLDI_LOAN - th->handed)) {
		dh_goldi_origin_free(g, th->work, number);
		return;
	}
	if (DH_UNLIKELY(th->work->young.len >= th->work->sweep_at))
		sweep(g, th->work);
	dh_vec_push(&th->work->young, number);
}

/* ---- alone ---- */

static void gather_young(struct dh_goldi *g, struct dh_goldi_work *w)
{
	sweep(g, w);
	for (size_t i = 0; i < w->young.len; i++)
		dh_vec_push(&g->young, w->young.at[i]);
	w->young.len = 0;
	w->sweep_at = SWEEP_LEAST;
}

/* Where `merged`, each has a reference to the one that answers for it. */
static size_t drop_unused(struct dh_goldi *g, uint32_t *at, size_t len)
{
	size_t kept = 0;
	for (size_t i = 0; i < len; i++) {
		uint32_t leader = dh_goldi_origin(g, at[i])->merged;
		if (!is_unused(g, at[i])) {
			at[kept++] = at[i];
			continue;
		}
		if (leader)
			dh_goldi_origin_unref(g, leader, 1);
		dh_goldi_origin_free(g, NULL, at[i]);
	}
	return kept;
}

void dh_goldi_gather(struct dh_goldi *g)
{
	g->young.len = drop_unused(g, g->young.at, g->young.len);
	g->merged.len = drop_unused(g, g->merged.at, g->merged.len);
	const struct dh_goldi_thread *th;
	for (uint32_t i = 0; (th = dh_sparse_next(&g->threads, &i)); i++)
		if (th->work)
			gather_young(g, th->work);
}

static void work_free(struct dh_goldi *g, struct dh_goldi_work *w)
{
	gather_young(g, w);
	dh_goldi_counts_move(&g->counts, &w->counts);
	while (w->stock.len)
		to_pool(g, dh_vec_pop(&w->stock));
	dh_vec_free(&w->young);
	dh_vec_free(&w->stock);
}

void dh_goldi_work_end(struct dh_goldi *g, struct dh_goldi_thread *th)
{
	if (th->work && g->shared) {
		work_free(g, th->work);
		dh_mem_free(th->work, sizeof *th->work);
	}
	th->work = NULL;
	th->counts = &g->counts;
}

void dh_goldi_thread_free(struct dh_goldi *g, struct dh_goldi_thread *th)
{
	dh_sparse_set(&g->threads, th->id, NULL);
	dh_mem_free(th, sizeof *th);
}

void dh_goldi_origins_fini(struct dh_goldi *g)
{
	struct dh_goldi_thread *th;
	for (uint32_t i = 0; (th = dh_sparse_next(&g->threads, &i)); i++) {
		dh_goldi_work_end(g, th);
		dh_goldi_thread_free(g, th);
	}
	dh_sparse_free(&g->threads);
	work_free(g, &g->work);
	for (uint32_t i = 1; i < g->origins_made; i++)
		dh_goldi_bits_free(dh_goldi_origin(g, i));
	dh_stable_free(&g->origins, sizeof(struct dh_goldi_origin));
	dh_vec_free(&g->young);
	dh_vec_free(&g->aged);
	dh_vec_free(&g->merged);
}
