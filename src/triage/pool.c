/* SPDX-License-Identifier: MIT */
/* See pool.h. The tables go by 64-bit hashes and compare the content: where two contents
 * have one hash, the next hash of the second is tried. */
#include "triage/pool.h"

#include <string.h>

enum { CHUNK = 1 << 20, ALIGN = 16 };

void *dh_pool_alloc(struct dh_pool *p, size_t size)
{
	if (!size)
		return NULL;
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (size > p->left) {
		struct dh_pool_chunk c = {.size = DH_MAX(size, (size_t)CHUNK)};
		c.at = dh_mem_alloc(c.size);
		dh_vec_push(&p->chunks, c);
		p->left = c.size;
	}
	struct dh_pool_chunk *c = &p->chunks.at[p->chunks.len - 1];
	char *at = c->at + (c->size - p->left);
	p->left -= size;
	return at;
}

uint64_t dh_pool_hash(uint64_t seed, const void *bytes, size_t len)
{
	const char *at = bytes;
	uint64_t h = dh_mix(seed ^ len * 0x9e3779b97f4a7c15ull), w;
	for (; len >= 8; at += 8, len -= 8) {
		memcpy(&w, at, 8);
		h = (h ^ w) * 0xd6e8feb86659fd93ull;
		h ^= h >> 32;
	}
	w = 0;
	if (len)
		memcpy(&w, at, len);
	return dh_mix(h ^ w);
}

/* ---- texts ---- */

struct text {
	size_t len;
	char bytes[];
};

static bool same_text(const void *there, const void *bytes, size_t len)
{
	const struct text *t = there;
	return t->len == len && (!len || memcmp(t->bytes, bytes, len) == 0);
}

/* The place in a table for content with this hash: empty (0), or of the same content. */
static uint64_t *place(struct dh_map *m, uint64_t hash, const void *content, size_t size,
		       bool (*same)(const void *there, const void *content, size_t size))
{
	uint64_t *v = dh_map_put(m, hash, NULL);
	while (*v && !same((const void *)(uintptr_t)*v, content, size))
		v = dh_map_put(m, hash = dh_mix(hash + 1), NULL);
	return v;
}

const char *dh_pool_text(struct dh_pool *p, const char *text, size_t len)
{
	uint64_t *v = place(&p->texts, dh_pool_hash(0, text, len), text, len, same_text);
	if (!*v) {
		struct text *t = dh_pool_alloc(p, sizeof *t + len + 1);
		t->len = len;
		memcpy(t->bytes, text, len);
		*v = (uintptr_t)t;
	}
	return ((const struct text *)(uintptr_t)*v)->bytes;
}

/* ---- frames ---- */

static bool same_frame(const void *there, const void *content, size_t size)
{
	(void)size;
	const struct dh_finding_frame *a = there, *b = content;
	return a->function == b->function && a->file == b->file &&
	       a->module == b->module && a->offset == b->offset && a->line == b->line &&
	       a->column == b->column && a->inlined == b->inlined &&
	       a->folded == b->folded && a->lost == b->lost;
}

const struct dh_finding_frame *dh_pool_frame(struct dh_pool *p,
					     const struct dh_finding_frame *f)
{
	uint64_t key[] = {
	    (uintptr_t)f->function,
	    (uintptr_t)f->file,
	    (uintptr_t)f->module,
	    f->offset,
	    (uint64_t)f->line << 32 | f->column,
	    (uint64_t)f->inlined | (uint64_t)f->folded << 1 | (uint64_t)f->lost << 2,
	};
	uint64_t *v =
	    place(&p->frames, dh_pool_hash(1, key, sizeof key), f, sizeof *f, same_frame);
	if (!*v) {
		struct dh_finding_frame *n = dh_pool_alloc(p, sizeof *n);
		*n = *f;
		n->number = p->frame_count++;
		*v = (uintptr_t)n;
	}
	return (const struct dh_finding_frame *)(uintptr_t)*v;
}

/* ---- stacks ---- */

static bool same_stack(const void *there, const void *content, size_t size)
{
	const struct dh_finding_stack *s = there;
	return s->len * sizeof s->at[0] == size &&
	       (!size || memcmp(s->at, content, size) == 0);
}

const struct dh_finding_stack *dh_pool_stack(struct dh_pool *p,
					     const struct dh_finding_frame *const *frames,
					     uint32_t len)
{
	size_t size = len * sizeof frames[0];
	uint64_t *v =
	    place(&p->stacks, dh_pool_hash(2, frames, size), frames, size, same_stack);
	if (!*v) {
		struct dh_finding_stack *s = dh_pool_alloc(p, sizeof *s + size);
		s->len = len;
		s->number = p->stack_count++;
		if (size)
			memcpy(s->at, frames, size);
		*v = (uintptr_t)s;
	}
	return (const struct dh_finding_stack *)(uintptr_t)*v;
}

void dh_pool_free(struct dh_pool *p)
{
	for (size_t i = 0; i < p->chunks.len; i++)
		dh_mem_free(p->chunks.at[i].at, p->chunks.at[i].size);
	dh_vec_free(&p->chunks);
	dh_map_free(&p->texts);
	dh_map_free(&p->frames);
	dh_map_free(&p->stacks);
}
