/* SPDX-License-Identifier: MIT */
/* See dh_live_groups in live.h. Stacks are compared by hash: a collision in 64 bits
 * would leave out a report in the text, and it would be counted. */
#include "report/live.h"

#include <string.h>

enum { MOST_CALLERS = 3 }; /* reports between the same two lines */

static uint64_t hash_text(uint64_t h, const char *text)
{
	for (; text && *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ull;
	return dh_mix(h);
}

/* Without a line, the address is all there is. */
static uint64_t hash_frame(uint64_t h, const struct dh_source_frame *f)
{
	if (!f->file || !f->line)
		return dh_mix(h ^ f->pc);
	h = hash_text(h, f->function);
	return dh_mix(hash_text(h, f->file) ^ f->line);
}

uint64_t dh_live_hash_stack(const struct dh_source_frames *s, size_t depth)
{
	uint64_t h = 0;
	for (size_t i = 0; i < s->len && i < depth; i++)
		h = hash_frame(h, &s->at[i]);
	return h;
}

/* Whichever came first. */
static uint64_t hash_pair(const struct dh_live_race *r, size_t depth)
{
	uint64_t a = dh_live_hash_stack(&r->first.stack, depth);
	uint64_t b = dh_live_hash_stack(&r->second.stack, depth);
	return dh_mix(dh_mix(DH_MIN(a, b)) ^ DH_MAX(a, b));
}

bool dh_live_groups_worth(struct dh_live_groups *g, const struct dh_live_race *r)
{
	bool fresh;
	dh_map_put(&g->stacks, hash_pair(r, SIZE_MAX), &fresh);
	if (fresh)
		fresh = ++*dh_map_put(&g->places, hash_pair(r, 1), NULL) <= MOST_CALLERS;
	g->left_out += !fresh;
	return fresh;
}

void dh_live_groups_free(struct dh_live_groups *g)
{
	dh_map_free(&g->stacks);
	dh_map_free(&g->places);
}
