/* SPDX-License-Identifier: MIT */
/*
 * Large blocks; see heap_large.h. Freed ones are parked in the order of their frees: at
 * most PARKED of them, of at most PARKED_BYTES together. One is used again for a
 * request that it fits without much waste, but never the last one freed, so that a use
 * after free has a chance to be seen.
 */
#include "runtime/heap_large.h"

enum { PARKED = 32, PARKED_BYTES = 16 << 20 };

struct dh_lock dh_large_lock;
static struct dh_slab *parked[PARKED]; /* the oldest first; under the lock, as is all */
static unsigned count;
static size_t bytes;

static struct dh_slab *unpark(unsigned at)
{
	struct dh_slab *s = parked[at];
	count--;
	bytes -= s->room;
	for (unsigned i = at; i < count; i++)
		parked[i] = parked[i + 1];
	return s;
}

static bool fits(const struct dh_slab *s, size_t size, size_t align)
{
	return s->room >= size && s->room - size <= size / 4 + DH_UNIT &&
	       s->base % align == 0;
}

struct dh_slab *dh_large_take(size_t size, size_t align)
{
	struct dh_slab *s = NULL;
	dh_lock(&dh_large_lock);
	for (unsigned i = 0; !s && i + 1 < count; i++)
		if (fits(parked[i], size, align))
			s = unpark(i);
	dh_unlock(&dh_large_lock);
	return s ? s : dh_slab_make_one(DH_MAX(size, (size_t)1), align);
}

void dh_large_give(struct dh_slab *s)
{
	struct dh_slab *out[PARKED];
	unsigned n = 0;
	s->zero = false;
	dh_lock(&dh_large_lock);
	while (count && (count == PARKED || bytes + s->room > PARKED_BYTES))
		out[n++] = unpark(0);
	if (s->room <= PARKED_BYTES) {
		parked[count++] = s;
		bytes += s->room;
		s = NULL;
	}
	dh_unlock(&dh_large_lock);
	while (n)
		dh_slab_drop(out[--n]);
	if (s)
		dh_slab_drop(s);
}
