/* SPDX-License-Identifier: MIT */
/* The slow ends of heap_cache.h: making caches, filling and draining rings. */
#include "runtime/heap_cache.h"
#include "base/mem.h"
#include "base/sys.h"
#include "runtime/heap.h"
#include "runtime/thread.h"

enum {
	RING_MAX = 64,
	RING_MIN = 2,
	RING_BYTES = 4 << 10, /* of memory in a ring, about, where RING_MIN allows */
};

__thread struct dh_heap_cache *dh_heap_mine __attribute__((tls_model("initial-exec")));
static struct dh_heap_cache *common; /* under common_lock */
static struct dh_lock common_lock;
static struct dh_heap_cache *spare; /* under spare_lock */
static struct dh_lock spare_lock;

/* ---- caches ---- */

static uint32_t ring_room(unsigned class)
{
	uint32_t n = RING_BYTES / dh_class_size(class);
	return n <= RING_MIN ? RING_MIN : n >= RING_MAX ? RING_MAX : (uint32_t)dh_pow2(n);
}

static uint32_t foreign_room(unsigned class)
{
	return DH_MAX(ring_room(class) / 4, (uint32_t)RING_MIN);
}

static struct dh_heap_cache *cache_new(void)
{
	size_t blocks = 0;
	for (unsigned class = 0; class < DH_CLASSES; class ++)
		blocks += ring_room(class) + foreign_room(class);
	struct dh_heap_cache *c = dh_mem_map(sizeof *c + blocks * sizeof *c->blocks);
	if (!c)
		return NULL;
	dh_block *at = c->blocks;
	for (unsigned class = 0; class < DH_CLASSES; class ++) {
		struct dh_heap_shelf *f = &c->shelves[class];
		f->own.room = ring_room(class);
		f->own.hold = DH_MAX(f->own.room / 4, 1u);
		f->own.at = at;
		f->foreign.room = foreign_room(class);
		f->foreign.at = at + f->own.room;
		at += f->own.room + f->foreign.room;
	}
	return c;
}

static struct dh_heap_cache *cache_take(void)
{
	dh_lock(&spare_lock);
	struct dh_heap_cache *c = spare;
	if (c)
		spare = c->next;
	dh_unlock(&spare_lock);
	return c ? c : cache_new();
}

void dh_heap_thread_end(void)
{
	struct dh_self *t = dh_thread_self();
	struct dh_heap_cache *c = dh_heap_mine;
	if (!c)
		return;
	dh_enter_runtime(t);
	dh_heap_mine = NULL;
	dh_lock(&spare_lock);
	c->next = spare;
	spare = c;
	dh_unlock(&spare_lock);
	dh_leave_runtime(t);
}

DH_COLD struct dh_heap_cache *dh_heap_cache_slow(void)
{
	if (dh_thread_self()->state && (dh_heap_mine = cache_take()))
		return dh_heap_mine;
	dh_lock(&common_lock);
	if (!common && !(common = cache_new()))
		dh_unlock(&common_lock);
	return common;
}

DH_COLD void dh_heap_cache_unlock(void)
{
	dh_unlock(&common_lock);
}

/* ---- rings ---- */

/* The n oldest go back to the stock. */
static void give_back(struct dh_heap_ring *r, unsigned class, unsigned n)
{
	dh_block out[RING_MAX];
	for (unsigned i = 0; i < n; i++)
		out[i] = r->at[r->head++ % r->room];
	r->count -= n;
	dh_stock_give(class, out, n);
}

DH_COLD void dh_heap_ring_drain(struct dh_heap_ring *r, unsigned class)
{
	give_back(r, class, r->room / 2);
}

DH_COLD void dh_heap_shelf_fill(struct dh_heap_shelf *f, unsigned class)
{
	dh_block got[RING_MAX / 2];
	struct dh_heap_ring *r = &f->own;
	unsigned n = dh_stock_take(class, &f->home, got, r->room / 2);
	if (!n && !r->count && f->foreign.count) {
		give_back(&f->foreign, class, f->foreign.count); /* no memory for others */
		n = dh_stock_take(class, &f->home, got, r->room / 2);
	}
	for (unsigned i = n; i > 0; i--)
		r->at[--r->head % r->room] = got[i - 1];
	r->count += n;
}

/* ---- fork ---- */

void dh_heap_cache_lock_all(void)
{
	dh_lock(&common_lock);
	dh_lock(&spare_lock);
}

void dh_heap_cache_unlock_all(void)
{
	dh_unlock(&spare_lock);
	dh_unlock(&common_lock);
}
