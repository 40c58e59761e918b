/* SPDX-License-Identifier: MIT */
/* What engine.h promises to every engine: cells, and reports without repeats. */
#include "event/engine.h"
#include "base/mem.h"
#include "event/stream.h"

enum { CHUNK_CELLS = 512 };

void *dh_cells_get(struct dh_cells *c, uint32_t number)
{
	size_t chunk = number / CHUNK_CELLS;
	if (DH_UNLIKELY(chunk >= c->chunk_count)) {
		size_t count = dh_pow2(chunk + 1);
		c->chunks = dh_mem_resize(c->chunks, c->chunk_count * sizeof *c->chunks,
					  count * sizeof *c->chunks);
		c->chunk_count = count;
	}
	if (DH_UNLIKELY(!c->chunks[chunk]))
		c->chunks[chunk] = dh_mem_alloc(CHUNK_CELLS * c->cell_size);
	return c->chunks[chunk] + number % CHUNK_CELLS * c->cell_size;
}

void *dh_cells_find(const struct dh_cells *c, uint32_t number)
{
	size_t chunk = number / CHUNK_CELLS;
	if (chunk >= c->chunk_count || !c->chunks[chunk])
		return NULL;
	return c->chunks[chunk] + number % CHUNK_CELLS * c->cell_size;
}

void dh_cells_each(struct dh_cells *c, void (*f)(void *context, void *cell), void *context)
{
	for (size_t i = 0; i < c->chunk_count; i++)
		for (size_t j = 0; c->chunks[i] && j < CHUNK_CELLS; j++)
			f(context, c->chunks[i] + j * c->cell_size);
}

void dh_cells_free(struct dh_cells *c)
{
	for (size_t i = 0; i < c->chunk_count; i++)
		dh_mem_free(c->chunks[i], CHUNK_CELLS * c->cell_size);
	dh_mem_free(c->chunks, c->chunk_count * sizeof *c->chunks);
	c->chunks = NULL;
	c->chunk_count = 0;
}

/* Has this pair of sites been reported on this variable, with this grade? A surer
 * finding is no repeat of a mere potential one. Accesses without a site are alike
 * here, so that a loop in an unlabelled trace is one report. */
static bool is_repeat(struct dh_engine *e, const struct dh_race *r)
{
	uint64_t pair = (uint64_t)r->first.site << 32 | r->second.site;
	uint64_t kind = (uint64_t)r->var << 5 | (uint64_t)r->grade << 3 |
			(uint64_t)r->has_first << 2 | (uint64_t)r->first_write << 1 |
			r->second_write;
	uint32_t most = e->stream->config.repeats_most;
	bool fresh;
	if (DH_UNLIKELY(most && e->reported.len >= most))
		dh_map_free(&e->reported);
	dh_map_put(&e->reported, dh_mix(pair) + dh_mix(~kind), &fresh);
	return !fresh;
}

/* A filter may deliver an access after later ones; a report still names the earlier
 * of the two first. */
static void put_in_order(struct dh_race *r)
{
	if (!r->has_first || r->first.index <= r->second.index)
		return;
	struct dh_mark mark = r->first;
	bool write = r->first_write;
	r->first = r->second;
	r->first_write = r->second_write;
	r->second = mark;
	r->second_write = write;
}

void dh_engine_report(struct dh_engine *e, const struct dh_race *race)
{
	const struct dh_stream *s = e->stream;
	struct dh_race r = *race;
	if (!s->shared) /* then indices do not tell, and no filter holds anything back */
		put_in_order(&r);
	dh_lock(&e->reporting);
	if (e->ops->every_report || !is_repeat(e, &r)) {
		e->races++;
		if (s->config.on_race)
			s->config.on_race(s->config.context, e, &r);
	}
	dh_unlock(&e->reporting);
}

void dh_engine_further(struct dh_engine *e, const struct dh_race *race)
{
	const struct dh_stream *s = e->stream;
	struct dh_race r = *race;
	if (!s->config.on_further)
		return;
	if (!s->shared)
		put_in_order(&r);
	dh_lock(&e->reporting);
	if (!is_repeat(e, &r))
		s->config.on_further(s->config.context, e, &r);
	dh_unlock(&e->reporting);
}

DH_COLD void dh_engine_observed(struct dh_engine *e, const struct dh_thread *t,
				const struct dh_access *a, const struct dh_mark *first,
				bool first_write)
{
	struct dh_race race = {
		.var = a->var,
		.grade = DH_OBSERVED,
		.has_first = true,
		.first = *first,
		.first_write = first_write,
		.second = dh_access_mark(t, a),
		.second_write = a->write,
	};
	dh_engine_report(e, &race);
}

struct dh_lockset_table *dh_engine_locksets(const struct dh_engine *e)
{
	return e->stream->locksets;
}

const char *dh_grade_text(enum dh_grade g)
{
	static const char *const texts[] = {"observed", "potential", "predicted"};
	return texts[g];
}
