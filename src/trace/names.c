/* SPDX-License-Identifier: MIT */
/*
 * Names behind names.h: per kind an array of texts by number and an open-addressing
 * hash table of numbers. The texts lie in chunks that are never moved.
 *
 * The hash is salted per table, so that nobody can write a trace whose names all
 * meet in one place. Numbers do not depend on it.
 */
#include "trace/names.h"

#include "base/mem.h"
#include "base/vec.h"

#include <string.h>
#include <sys/random.h>

enum {
	CHUNK_MIN = 2 << 10, /* bytes; each chunk is twice the one before, up to */
	CHUNK_MAX = 64 << 10,
	TABLE_MIN = 64, /* slots; a power of two */
};

struct entry {
	const char *text;
	size_t len;
};

/* number is the name's + 1; 0 marks a free slot. */
struct slot {
	uint32_t hash;
	uint32_t number;
};

struct table {
	struct dh_vec(struct entry) entries;
	struct slot *slots;
	size_t cap; /* power of two; at most 3/4 in use */
};

struct chunk {
	struct chunk *next;
	size_t size;
	char bytes[];
};

struct dh_names {
	struct table tables[DH_NAME_KINDS];
	struct chunk *chunks; /* all of them */
	char *fresh;	      /* unused rest of the newest common chunk */
	size_t fresh_len;
	size_t chunk_size; /* of the next common chunk */
	uint64_t salt[2];
};

/* Folds the 128-bit product: every bit of both sides reaches the result. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 p = (unsigned __int128)a * b;
	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static inline uint64_t load(const char *p, size_t n)
{
	uint64_t v = 0;
	memcpy(&v, p, n);
	return v;
}

static inline uint64_t load_tail(const char *p, size_t n)
{
	if (n >= 8)
		return load(p, 8);
	if (n >= 4)
		return load(p, 4) | load(p + n - 4, 4) << 32;
	return n == 0 ? 0
		      : (uint64_t)(uint8_t)p[0] | (uint64_t)(uint8_t)p[n / 2] << 8 |
			    (uint64_t)(uint8_t)p[n - 1] << 16;
}

static uint32_t hash(const struct dh_names *n, const char *p, size_t len)
{
	uint64_t h = n->salt[0] ^ len;
	for (; len > 8; p += 8, len -= 8)
		h = fold(h ^ load(p, 8), n->salt[1]);
	h = fold(h ^ load_tail(p, len), n->salt[1]);
	return (uint32_t)(h ^ h >> 32);
}

static void set_salt(struct dh_names *n)
{
	if (getrandom(n->salt, sizeof n->salt, GRND_NONBLOCK) != sizeof n->salt) {
		n->salt[0] = dh_mix((uintptr_t)n);
		n->salt[1] = dh_mix(n->salt[0]);
	}
	n->salt[1] |= 1ull << 63 | 1; /* a factor must not be small or even */
}

struct dh_names *dh_names_new(void)
{
	struct dh_names *n = dh_mem_alloc(sizeof *n);
	n->chunk_size = CHUNK_MIN;
	set_salt(n);
	dh_names_intern(n, DH_NAME_SITE, "", 0);
	return n;
}

void dh_names_free(struct dh_names *n)
{
	if (!n)
		return;
	for (int k = 0; k < DH_NAME_KINDS; k++) {
		struct table *t = &n->tables[k];
		dh_vec_free(&t->entries);
		dh_mem_free(t->slots, t->cap * sizeof *t->slots);
	}
	for (struct chunk *c = n->chunks, *next; c; c = next) {
		next = c->next;
		dh_mem_free(c, sizeof *c + c->size);
	}
	dh_mem_free(n, sizeof *n);
}

static struct chunk *chunk_add(struct dh_names *n, size_t size)
{
	struct chunk *c = dh_mem_alloc(sizeof *c + size);
	c->size = size;
	c->next = n->chunks;
	n->chunks = c;
	return c;
}

static const char *keep(struct dh_names *n, const char *text, size_t len)
{
	char *to;
	if (len >= n->chunk_size / 4) {
		to = chunk_add(n, len + 1)->bytes;
	} else {
		if (n->fresh_len <= len) {
			n->fresh = chunk_add(n, n->chunk_size)->bytes;
			n->fresh_len = n->chunk_size;
			n->chunk_size = DH_MIN(n->chunk_size * 2, (size_t)CHUNK_MAX);
		}
		to = n->fresh;
		n->fresh += len + 1;
		n->fresh_len -= len + 1;
	}
	memcpy(to, text, len);
	to[len] = '\0';
	return to;
}

static void table_grow(struct table *t)
{
	size_t cap = t->cap ? t->cap * 2 : TABLE_MIN;
	struct slot *slots = dh_mem_alloc(cap * sizeof *slots);
	for (size_t i = 0; i < t->cap; i++) {
		if (!t->slots[i].number)
			continue;
		size_t at = t->slots[i].hash & (cap - 1);
		while (slots[at].number)
			at = (at + 1) & (cap - 1);
		slots[at] = t->slots[i];
	}
	dh_mem_free(t->slots, t->cap * sizeof *t->slots);
	t->slots = slots;
	t->cap = cap;
}

/* The slot of a name, or the free one where it would be. */
static inline struct slot *probe(const struct table *t, uint32_t h, const char *text,
				 size_t len)
{
	size_t at = h & (t->cap - 1);
	for (;; at = (at + 1) & (t->cap - 1)) {
		struct slot *s = &t->slots[at];
		if (!s->number)
			return s;
		const struct entry *e = &t->entries.at[s->number - 1];
		if (s->hash == h && e->len == len && memcmp(e->text, text, len) == 0)
			return s;
	}
}

uint32_t dh_names_intern(struct dh_names *n, enum dh_name_kind kind, const char *text,
			 size_t len)
{
	struct table *t = &n->tables[kind];
	if (DH_UNLIKELY((t->entries.len + 1) * 4 > t->cap * 3))
		table_grow(t);
	uint32_t h = hash(n, text, len);
	struct slot *s = probe(t, h, text, len);
	if (DH_UNLIKELY(!s->number)) {
		DH_CHECK(t->entries.len < UINT32_MAX);
		dh_vec_push(&t->entries, (struct entry){keep(n, text, len), len});
		*s = (struct slot){h, (uint32_t)t->entries.len};
	}
	return s->number - 1;
}

bool dh_names_find(const struct dh_names *n, enum dh_name_kind kind, const char *text,
		   size_t len, uint32_t *id)
{
	const struct table *t = &n->tables[kind];
	if (!t->cap)
		return false;
	struct slot *s = probe(t, hash(n, text, len), text, len);
	if (!s->number)
		return false;
	*id = s->number - 1;
	return true;
}

const char *dh_names_text(const struct dh_names *n, enum dh_name_kind kind, uint32_t id)
{
	DH_ASSERT(id < n->tables[kind].entries.len);
	return n->tables[kind].entries.at[id].text;
}

size_t dh_names_length(const struct dh_names *n, enum dh_name_kind kind, uint32_t id)
{
	DH_ASSERT(id < n->tables[kind].entries.len);
	return n->tables[kind].entries.at[id].len;
}

uint32_t dh_names_count(const struct dh_names *n, enum dh_name_kind kind)
{
	return (uint32_t)n->tables[kind].entries.len;
}

/* One test per byte: 1 ends a name. */
const uint8_t dh_names_stop[256] = {
    ['|'] = 1, ['('] = 1,  [')'] = 1,  [','] = 1,  ['='] = 1,  [':'] = 1,
    [' '] = 1, ['\t'] = 1, ['\n'] = 1, ['\v'] = 1, ['\f'] = 1, ['\r'] = 1,
};

bool dh_names_allowed(enum dh_name_kind kind, const char *text, size_t len)
{
	if (kind == DH_NAME_SITE)
		return len == 0 || (!memchr(text, '|', len) && !memchr(text, '\n', len) &&
				    text[len - 1] != '\r');
	for (size_t i = 0; i < len; i++)
		if (dh_names_stop[(uint8_t)text[i]])
			return false;
	return len > 0;
}
