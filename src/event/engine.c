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

/* Has this pair of sites been reported on this variable? Accesses without a site
 * are alike here, so that a loop in an unlabelled trace is one report. */
static bool is_repeat(struct dh_engine *e, const struct dh_race *r)
{
	uint64_t pair = (uint64_t)r->first.site << 32 | r->second.site;
	uint64_t kind = (uint64_t)r->var << 3 | (uint64_t)r->has_first << 2 |
			(uint64_t)r->first_write << 1 | r->second_write;
	bool fresh;
	dh_map_put(&e->reported, dh_mix(pair) + dh_mix(~kind), &fresh);
	return !fresh;
}

void dh_engine_report(struct dh_engine *e, const struct dh_race *race)
{
	if (!e->ops->every_report && is_repeat(e, race))
		return;
	e->races++;
	if (e->stream->config.on_race)
		e->stream->config.on_race(e->stream->config.context, e, race);
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
