/* SPDX-License-Identifier: MIT */
/* See weak.h. */
#include "runtime/racetrack/weak.h"
#include "base/map.h"
#include "base/mem.h"
#include "runtime/edges.h"
#include "runtime/observer.h"
#include "runtime/sync.h"

static bool fences; /* atomic: the program uses them */

/* ---- clocks ---- */

static uint32_t own_slot(const struct dh_self *t)
{
	return (uint32_t)(t->epoch >> DH_SLOT_SHIFT);
}

/* What it publishes of itself: as clockset.c. */
static uint32_t own_clock(const struct dh_self *t)
{
	return t->vc[own_slot(t)] - !t->dirty;
}

static void grow(struct dh_weak_clock *c, uint32_t len)
{
	if (c->len >= len)
		return;
	c->at = dh_mem_resize(c->at, c->len * sizeof *c->at, len * sizeof *c->at);
	c->len = len;
}

static void send(struct dh_self *t, struct dh_weak_clock *c, bool replace)
{
	const uint32_t *mine = dh_rt_of(t)->weak;
	uint32_t n = __atomic_load_n(&dh_slot_count, __ATOMIC_RELAXED), own = own_slot(t);
	grow(c, n);
	uint32_t before = c->at[own], now = own_clock(t);
	for (uint32_t i = 0; i < n; i++)
		c->at[i] = replace ? mine[i] : DH_MAX(c->at[i], mine[i]);
	c->at[own] = replace ? now : DH_MAX(before, now);
}

void dh_rt_weak_compare(struct dh_self *t)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	uint32_t n = __atomic_load_n(&dh_slot_count, __ATOMIC_RELAXED), own = own_slot(t);
	me->level = true;
	for (uint32_t i = 0; i < n && me->level; i++)
		me->level = me->weak[i] >= t->vc[i] || i == own;
	if (me->level)
		me->sealed = t->vc[own];
	me->compared = true;
}

static void receive(struct dh_self *t, const struct dh_weak_clock *c)
{
	uint32_t *mine = dh_rt_of(t)->weak;
	for (uint32_t i = 0; i < c->len; i++)
		mine[i] = DH_MAX(mine[i], c->at[i]);
	dh_rt_weak_compare(t);
}

void dh_rt_weak_all(struct dh_self *t)
{
	receive(t, &(struct dh_weak_clock){.at = t->vc, .len = DH_SLOTS});
}

/* ---- objects ---- */

void dh_rt_weak_send(struct dh_self *t, uintptr_t addr, bool replace)
{
	struct dh_sync *s = dh_sync_lock(addr, true);
	dh_sync_changing(s);
	send(t, &s->weak, replace);
	dh_sync_unlock(s);
}

static struct dh_rt_received *received_of(struct dh_rt_thread *me, const struct dh_sync *s)
{
	return &me->received[(uintptr_t)s / sizeof *s % DH_RT_RECEIVED];
}

/* Is there nothing to receive? A thread that waits for an atomic variable asks again and
 * again, while others need the object to change it. */
static bool has_received(struct dh_self *t, uintptr_t addr)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	bool certain;
	struct dh_glance g = {.object = dh_sync_find(addr, &certain)};
	if (!g.object)
		return certain;
	const struct dh_rt_received *r = received_of(me, g.object);
	if (!me->compared || r->object != g.object || !dh_glance_at(&g, addr) ||
	    r->changes != g.changes || r->version != t->state->version)
		return false;
	if (me->level)
		me->sealed = t->vc[own_slot(t)];
	return true;
}

void dh_rt_weak_receive(struct dh_self *t, uintptr_t addr)
{
	if (has_received(t, addr))
		return;
	struct dh_sync *s = dh_sync_lock(addr, false);
	if (!s)
		return;
	receive(t, &s->weak);
	*received_of(dh_rt_of(t), s) =
	    (struct dh_rt_received){s, s->changes, t->state->version};
	dh_sync_unlock(s);
}

void dh_rt_weak_fence(void)
{
	__atomic_store_n(&fences, true, __ATOMIC_RELAXED);
}

bool dh_rt_weak_atomic(struct dh_self *t, unsigned what, uintptr_t addr, int order)
{
	bool all = __atomic_load_n(&fences, __ATOMIC_RELAXED);
	bool sends = what == DH_ATOMIC_STORING || what == DH_ATOMIC_MODIFYING;
	if (!all && !(sends ? dh_releases(order) : dh_acquires(order)))
		return false;
	if (sends)
		dh_rt_weak_send(t, addr, false);
	else
		dh_rt_weak_receive(t, addr);
	return true;
}

/* ---- threads ---- */

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_TABLES);
static struct dh_map threads; /* under lock: id -> struct dh_weak_clock * */

void dh_rt_weak_leave(struct dh_self *t, uint32_t id)
{
	struct dh_weak_clock *c = dh_mem_alloc(sizeof *c);
	send(t, c, true);
	dh_lock(&lock);
	*dh_map_put(&threads, id, NULL) = (uintptr_t)c;
	dh_unlock(&lock);
}

void dh_rt_weak_take(struct dh_self *t, uint32_t id)
{
	dh_lock(&lock);
	uint64_t *place = dh_map_get(&threads, id);
	struct dh_weak_clock *c = place ? (struct dh_weak_clock *)*place : NULL;
	dh_map_remove(&threads, id);
	dh_unlock(&lock);
	if (!c)
		return;
	receive(t, c);
	dh_mem_free(c->at, c->len * sizeof *c->at);
	dh_mem_free(c, sizeof *c);
}
