/* SPDX-License-Identifier: MIT */
/*
 * Large blocks; see heap_large.h. Freed ones are parked in the order of their frees: at
 * most PARKED of them, of at most PARKED_BYTES together. One is used again for a
 * request that it fits without much waste, but never the last one freed, so that a use
 * after free has a chance to be seen. WARM_BYTES of them keep their memory, which saves the
 * kernel's work for the next user; of the others only the addresses are kept.
 */
#include "runtime/heap_large.h"
#include "base/sys.h"

enum { PARKED = 32, PARKED_BYTES = 16 << 20, WARM_BYTES = 512 << 10 };

struct dh_lock dh_large_lock;
static struct dh_slab *parked[PARKED]; /* the oldest first; under the lock, as is all */
static unsigned count;
static size_t bytes, warm;

static struct dh_slab *unpark(unsigned at)
{
	struct dh_slab *s = parked[at];
	count--;
	bytes -= s->room;
	if (!s->zero)
		warm -= s->room;
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

/* Gives the memory of a block back that is to be parked, unless it may stay warm. */
static void cool(struct dh_slab *s)
{
	dh_lock(&dh_large_lock);
	s->zero = warm + s->room > WARM_BYTES;
	if (!s->zero)
		warm += s->room;
	dh_unlock(&dh_large_lock);
	if (s->zero)
		dh_sys_discard((void *)s->base, s->room);
}

void dh_large_give(struct dh_slab *s)
{
	struct dh_slab *out[PARKED];
	unsigned n = 0;
	if (s->room > PARKED_BYTES) {
		dh_slab_drop(s);
		return;
	}
	cool(s);
	dh_lock(&dh_large_lock);
	while (count && (count == PARKED || bytes + s->room > PARKED_BYTES))
		out[n++] = unpark(0);
	parked[count++] = s;
	bytes += s->room;
	dh_unlock(&dh_large_lock);
	while (n)
		dh_slab_drop(out[--n]);
}
