/* SPDX-License-Identifier: MIT */
/* See classes.h. */
#include "triage/classes.h"
#include "triage/fingerprint.h"
#include "triage/pool.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEEPEST = 6,		    /* own frames of a stack that are looked at */
	SHINGLES = 2 * DEEPEST - 1, /* each frame, and each with its caller */
	BANDS = 8,		    /* of */
	ROWS = 2,		    /* min-hashes each */
	RECENT = 6,	     /* members of a bucket that a new one is compared with */
	COMMON = 8,	     /* features that a class may have in common */
	NEAR = 2,	     /* lines of one function that are one place */
	POINT = 100,	     /* of similarity */
	FAR = 65,	     /* of one function, at another line */
	SAME_VARIABLE = 175, /* points */
	THRESHOLD = 175,     /* points */
};

/* What a class can have in common: a hash, and what it stands for. */
struct feature {
	uint64_t hash;
	const struct dh_finding_frame *function; /* NULL: the object */
	const struct dh_finding *object;
};

struct side {
	uint64_t function; /* of the innermost own frame; 0: none */
	const struct dh_finding_frame *frame;
	uint32_t line;
	bool in_function; /* else the frame is no more than a file */
	size_t shingles_len;
	uint64_t shingles[SHINGLES]; /* sorted, each once */
};

struct item {
	struct side sides[2];
	uint64_t object, base; /* with and without the part; 0: not known */
	bool named;
	uint32_t parent; /* of the union-find forest */
	size_t common_len;
	struct feature common[COMMON]; /* of the root */
};

struct bucket {
	uint32_t len;
	uint32_t recent[RECENT];
};

struct classes {
	struct item *items;
	struct dh_map keys; /* to a bucket, from 1 */
	struct dh_vec(struct bucket) buckets;
};

/* ---- what is looked at ---- */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static uint64_t hash_frame(const struct dh_finding_frame *f)
{
	struct dh_name name;
	dh_name_frame(f, &name);
	return dh_pool_hash(3, name.text, name.len);
}

static void add_feature(struct item *it, struct feature f)
{
	for (size_t i = 0; i < it->common_len; i++)
		if (it->common[i].hash == f.hash)
			return;
	if (f.hash && it->common_len < COMMON)
		it->common[it->common_len++] = f;
}

static void sort_shingles(struct side *s)
{
	size_t kept = 0;
	qsort(s->shingles, s->shingles_len, sizeof s->shingles[0], by_value);
	for (size_t i = 0; i < s->shingles_len; i++)
		if (i == 0 || s->shingles[i] != s->shingles[i - 1])
			s->shingles[kept++] = s->shingles[i];
	s->shingles_len = kept;
}

/* The own frames, innermost first. Callers count as common too, but not where a thread
 * begins: that much all findings of a pool of threads have in common. */
static void look_at_side(struct item *it, struct side *s,
			 const struct dh_finding_access *a)
{
	uint64_t hashes[DEEPEST];
	const struct dh_finding_frame *frames[DEEPEST];
	size_t len = 0;
	for (uint32_t i = dh_stack_own(a->stack, 0); i < a->stack->len && len < DEEPEST;
	     i++)
		if (!a->stack->at[i]->lost && !dh_frame_is_library(a->stack->at[i])) {
			frames[len] = a->stack->at[i];
			hashes[len] = hash_frame(frames[len]);
			len++;
		}
	if (!len)
		return;
	s->function = hashes[0];
	s->frame = frames[0];
	s->line = frames[0]->line;
	s->in_function = frames[0]->function != NULL;
	for (size_t i = 0; i < len; i++) {
		s->shingles[s->shingles_len++] = hashes[i];
		if (i + 1 < len)
			s->shingles[s->shingles_len++] =
			    dh_mix(hashes[i] ^ dh_mix(hashes[i + 1]));
	}
	sort_shingles(s);
	for (size_t i = 0; i < 2 && s->in_function; i++)
		if (i == 0 || i + 1 < len)
			add_feature(it, (struct feature){hashes[i], frames[i], NULL});
}

static void look_at_object(struct item *it, const struct dh_finding *f)
{
	struct dh_fingerprint_object o;
	dh_fingerprint_object(&f->object, &o);
	it->named = o.named;
	if (!o.name.len)
		return;
	it->object = it->base = dh_pool_hash(o.kind[0], o.name.text, o.name.len);
	if (f->object.variable.part && !f->object.label) {
		dh_name_variable(f->object.variable.name, NULL, &o.name);
		it->base = dh_pool_hash(o.kind[0], o.name.text, o.name.len);
	}
	add_feature(it, (struct feature){it->object, NULL, f});
	add_feature(it, (struct feature){it->base, NULL, f});
}

static void look_at(struct item *it, const struct dh_finding *f, uint32_t number)
{
	it->parent = number;
	look_at_object(it, f);
	look_at_side(it, &it->sides[0], &f->first);
	look_at_side(it, &it->sides[1], &f->second);
}

/* ---- similarity ---- */

static size_t shared_shingles(const struct side *a, const struct side *b)
{
	size_t i = 0, j = 0, both = 0;
	while (i < a->shingles_len && j < b->shingles_len) {
		uint64_t x = a->shingles[i], y = b->shingles[j];
		both += x == y;
		i += x <= y;
		j += y <= x;
	}
	return both;
}

static unsigned side_points(const struct side *a, const struct side *b)
{
	if (!a->function || !b->function)
		return 0;
	if (a->function == b->function) {
		uint32_t apart =
		    a->line > b->line ? a->line - b->line : b->line - a->line;
		return apart <= (a->in_function ? NEAR : 0) ? POINT : FAR;
	}
	size_t both = shared_shingles(a, b);
	return (unsigned)(POINT * both / (a->shingles_len + b->shingles_len - both));
}

static unsigned points(const struct item *a, const struct item *b)
{
	unsigned straight = side_points(&a->sides[0], &b->sides[0]) +
			    side_points(&a->sides[1], &b->sides[1]);
	unsigned crossed = side_points(&a->sides[0], &b->sides[1]) +
			   side_points(&a->sides[1], &b->sides[0]);
	unsigned object = 0;
	if (a->object && a->object == b->object)
		object = a->named ? SAME_VARIABLE : POINT;
	else if (a->base == b->base) /* of nothing known too */
		object = POINT / 2;
	return DH_MAX(straight, crossed) + object;
}

/* ---- links ---- */

static uint32_t root(struct classes *c, uint32_t i)
{
	while (c->items[i].parent != i)
		i = c->items[i].parent = c->items[c->items[i].parent].parent;
	return i;
}

static bool has_feature(const struct item *it, uint64_t hash)
{
	for (size_t i = 0; i < it->common_len; i++)
		if (it->common[i].hash == hash)
			return true;
	return false;
}

/* The smaller number stays the root, so that the order of links has no influence. */
static void link_items(struct classes *c, uint32_t i, uint32_t j)
{
	uint32_t a = root(c, i), b = root(c, j);
	if (a == b || points(&c->items[i], &c->items[j]) < THRESHOLD)
		return;
	struct item *to = &c->items[DH_MIN(a, b)], *from = &c->items[DH_MAX(a, b)];
	struct feature common[COMMON];
	size_t len = 0;
	for (size_t k = 0; k < to->common_len; k++)
		if (has_feature(from, to->common[k].hash))
			common[len++] = to->common[k];
	if (!len)
		return;
	memcpy(to->common, common, len * sizeof common[0]);
	to->common_len = len;
	from->parent = DH_MIN(a, b);
}

static void enter(struct classes *c, uint64_t key, uint32_t number)
{
	uint64_t *known = dh_map_put(&c->keys, key, NULL);
	if (!*known) {
		dh_vec_push(&c->buckets, (struct bucket){0});
		*known = c->buckets.len;
	}
	struct bucket *b = &c->buckets.at[*known - 1];
	for (uint32_t i = 0; i < DH_MIN(b->len, (uint32_t)RECENT); i++)
		if (b->recent[i] != number)
			link_items(c, b->recent[i], number);
	b->recent[b->len++ % RECENT] = number;
}

static uint64_t key_of(unsigned kind, uint64_t a, uint64_t b)
{
	return dh_mix(dh_mix(DH_MIN(a, b) + kind) ^ DH_MAX(a, b));
}

/* A band has the smallest of the shingles' hashes, by ROWS hash functions each. */
static void enter_bands(struct classes *c, const struct item *it, uint32_t number)
{
	for (unsigned band = 0; band < BANDS; band++) {
		uint64_t key = band;
		for (unsigned row = 0; row < ROWS; row++) {
			uint64_t least = UINT64_MAX, seed = band * ROWS + row + 1;
			for (unsigned s = 0; s < 2; s++)
				for (size_t i = 0; i < it->sides[s].shingles_len; i++) {
					uint64_t h = dh_mix(it->sides[s].shingles[i] ^
							    seed * 0x9e3779b97f4a7c15ull);
					least = DH_MIN(least, h);
				}
			key = dh_mix(key ^ least);
		}
		enter(c, key_of(9, key, it->base), number);
	}
}

static void enter_all(struct classes *c, uint32_t number)
{
	const struct item *it = &c->items[number];
	uint64_t f = it->sides[0].function, g = it->sides[1].function;
	if (it->named)
		enter(c, key_of(1, it->object, 0), number);
	enter(c, key_of(2, f, g), number);
	if (it->object && f)
		enter(c, key_of(3, it->object, f), number);
	if (it->object && g && g != f)
		enter(c, key_of(3, it->object, g), number);
	enter_bands(c, it, number);
}

/* ---- the result ---- */

static void name_common(const struct item *it, struct dh_class_sample *s,
			struct dh_pool *pool)
{
	const struct feature *f = &it->common[0]; /* an object, where there is one */
	if (f->function) {
		struct dh_name name;
		dh_name_frame(f->function, &name);
		s->common = dh_pool_text(pool, name.text, name.len);
		s->common_function = true;
	} else {
		struct dh_fingerprint_object o;
		dh_fingerprint_object(&f->object->object, &o);
		if (f->hash == it->base && it->base != it->object)
			dh_name_variable(f->object->object.variable.name, NULL, &o.name);
		s->common = dh_pool_text(pool, o.name.text, o.name.len);
	}
}

void dh_classes_make(struct dh_class_sample *samples, size_t len, struct dh_pool *pool)
{
	struct classes c = {.items = dh_mem_alloc((len + 1) * sizeof *c.items)};
	for (uint32_t i = 0; i < len; i++)
		look_at(&c.items[i], samples[i].finding, i);
	for (uint32_t i = 0; i < len; i++)
		enter_all(&c, i);
	for (uint32_t i = 0; i < len; i++) {
		uint32_t r = root(&c, i);
		samples[i].class = r;
		if (r != i && !samples[r].common)
			name_common(&c.items[r], &samples[r], pool);
	}
	dh_mem_free(c.items, (len + 1) * sizeof *c.items);
	dh_map_free(&c.keys);
	dh_vec_free(&c.buckets);
}
