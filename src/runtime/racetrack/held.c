/* SPDX-License-Identifier: MIT */
/* See held.h. Locks are numbered when first taken; a lock at an address that was
 * another's before has its number. */
#include "runtime/racetrack/held.h"
#include "base/lock.h"
#include "base/map.h"

struct dh_lockset_table *dh_rt_locksets;

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_TABLES);
static struct dh_map ids; /* under lock: address -> number */

void dh_rt_held_init(void)
{
	dh_rt_locksets = dh_lockset_table_new();
}

static DH_NOINLINE uint32_t number(uintptr_t addr)
{
	bool fresh;
	dh_lock(&lock);
	uint64_t *place = dh_map_put(&ids, addr, &fresh);
	if (fresh)
		*place = ids.len;
	uint32_t id = (uint32_t)*place;
	dh_unlock(&lock);
	return id;
}

static uint32_t id_of(struct dh_rt_thread *me, uintptr_t addr)
{
	size_t at = (addr >> 4 ^ addr >> 10) % DH_RT_LOCK_CACHE;
	if (DH_UNLIKELY(me->cache[at].lock != addr)) {
		me->cache[at].id = number(addr);
		me->cache[at].lock = addr;
	}
	return me->cache[at].id;
}

static struct dh_rt_held *find(struct dh_rt_thread *me, uintptr_t addr)
{
	for (uint32_t i = me->held_count; i > 0; i--)
		if (me->held[i - 1].lock == addr)
			return &me->held[i - 1];
	return NULL;
}

/* Locks beyond the room count as not held: accesses look less protected. */
void dh_rt_held_take(struct dh_rt_thread *me, uintptr_t addr, bool write)
{
	struct dh_rt_held *h = find(me, addr);
	me->epoch = 0;
	if (!h) {
		if (me->held_count == DH_RT_HELD_MAX)
			return;
		h = &me->held[me->held_count++];
		*h = (struct dh_rt_held){.lock = addr, .id = id_of(me, addr)};
		me->all = dh_lockset_add(dh_rt_locksets, me->all, h->id);
	}
	if (write && h->writes++ == 0)
		me->write = dh_lockset_add(dh_rt_locksets, me->write, h->id);
	h->reads += !write;
}

void dh_rt_held_leave(struct dh_rt_thread *me, uintptr_t addr, bool write)
{
	struct dh_rt_held *h = find(me, addr);
	if (!h)
		return;
	me->epoch = 0;
	if (write && h->writes && --h->writes == 0)
		me->write = dh_lockset_remove(dh_rt_locksets, me->write, h->id);
	else if (!write && h->reads)
		h->reads--;
	if (h->writes || h->reads)
		return;
	me->all = dh_lockset_remove(dh_rt_locksets, me->all, h->id);
	*h = me->held[--me->held_count];
}
