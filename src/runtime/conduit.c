/* SPDX-License-Identifier: MIT */
/* See conduit.h. */
#include "runtime/conduit.h"
#include "base/map.h"
#include "base/mem.h"
#include "runtime/sync.h"

enum { LINGER = 256 };

static struct dh_map by_key;
static struct dh_conduit *spare;
static struct dh_conduit *lingering[LINGER]; /* the last that nobody led to any more */
static unsigned linger_at;

uint64_t dh_conduit_key(enum dh_key_kind kind, uint64_t a, uint64_t b)
{
	uint64_t key = dh_mix(dh_mix(a + (uint64_t)kind * 0x9e3779b97f4a7c15ull) ^ b);
	return key ? key : 1;
}

struct dh_conduit *dh_conduit_of(uint64_t key)
{
	uint64_t *known = key ? dh_map_get(&by_key, key) : NULL;
	if (known)
		return (struct dh_conduit *)(uintptr_t)*known;
	struct dh_conduit *c = spare;
	if (c)
		spare = c->next;
	else
		c = dh_mem_alloc(sizeof *c);
	c->key = key;
	c->users = 0;
	__atomic_store_n(&c->from[0], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&c->from[1], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&c->signals, 0, __ATOMIC_RELAXED);
	c->lingers = c->waiting = false;
	if (key)
		*dh_map_put(&by_key, key, NULL) = (uintptr_t)c;
	return c;
}

static void drop(struct dh_conduit *c)
{
	if (c->key)
		dh_map_remove(&by_key, c->key);
	dh_sync_forget((uintptr_t)&c->place[0]);
	dh_sync_forget((uintptr_t)&c->place[1]);
	c->next = spare;
	spare = c;
}

/* In place of the one that has waited longest. */
static void linger(struct dh_conduit *c)
{
	struct dh_conduit **place = &lingering[linger_at++ % LINGER], *old = *place;
	if (old) {
		old->waiting = false;
		if (!old->users)
			drop(old);
	}
	c->waiting = true;
	*place = c;
}

void dh_conduit_leave(struct dh_conduit *c)
{
	if (--c->users || c->waiting)
		return;
	if (c->lingers)
		linger(c);
	else
		drop(c);
}
