/* SPDX-License-Identifier: MIT */
/*
 * The allocator; see heap.h. Small blocks come from caches (heap_cache.h), large ones
 * are slabs of their own (heap_large.h).
 *
 * A block starts fresh when it is given out, not when it is freed: what the free has
 * left in its shadow is cleared, and synchronisation objects in it are forgotten, then.
 * Blocks that were never given out are fresh already.
 */
#include "runtime/heap.h"
#include "base/sys.h"
#include "runtime/access.h"
#include "runtime/callers.h"
#include "runtime/heap_cache.h"
#include "runtime/heap_facts.h"
#include "runtime/heap_large.h"
#include "runtime/labels.h"
#include "runtime/observer.h"
#include "runtime/sync.h"

enum { MIN_ALIGN = 16 };

static uint64_t wrong; /* atomic: frees of what is no live block */

/* The site of a call by code that is not instrumented, with where it was called from. */
static DH_NOINLINE uint32_t site_behind(struct dh_self *t, uint64_t pc)
{
	uint64_t behind = dh_caller_behind(t);
	if (behind)
		dh_thread_enter(t, behind);
	uint32_t site = dh_thread_site(t, pc);
	if (behind)
		dh_thread_exit(t);
	return site;
}

/* The site of a call; 0 for threads without state and while the runtime itself calls. */
DH_INLINE uint32_t site_of(struct dh_self *t, uint64_t pc)
{
	if (DH_UNLIKELY(!t->state || t->inside > 1))
		return 0;
	if (DH_UNLIKELY(dh_caller_kind(pc) != DH_CALLER_WATCHED))
		return site_behind(t, pc);
	uint32_t site = dh_site_at_hand(t, pc);
	return DH_LIKELY(site != 0) ? site : dh_thread_site(t, pc);
}

/* ---- giving out ---- */

/* Up to the end of its last granule: no block shares one. */
static size_t whole(size_t size)
{
	return (size + DH_GRANULE - 1) & ~(size_t)(DH_GRANULE - 1);
}

/* Clears what a free leaves in the shadow (dh_access_end). */
static void start_fresh(uintptr_t base, size_t size)
{
	size_t marked = DH_MIN(size, (size_t)DH_END_MARKED);
	struct dh_cell *c = dh_flat_cell(base);
	if (DH_LIKELY(c != NULL)) {
		for (size_t i = 0; i < marked; i += DH_GRANULE, c++)
			*c = (struct dh_cell){0, 0};
	} else if (!dh_observer) {
		dh_shadow_clear(base, whole(marked));
	}
	dh_sync_forget_range(base, size);
	dh_labels_forget(base, size);
}

/* The first access to the block will read its cell and then write it: two faults, the
 * second of them felt by all processors, where its page of shadow was never used. This
 * makes it one. */
static void expect_use(uintptr_t base)
{
	struct dh_cell *c = dh_flat_cell(base);
	if (DH_LIKELY(c != NULL))
		c->read = 0;
}

/* small: the size of a small block, else 0. */
DH_INLINE void set_given(struct dh_self *t, struct dh_slab *s, uint32_t index,
			 uintptr_t base, size_t size, uint32_t small, uint64_t pc)
{
	if (DH_LIKELY(dh_facts_state(dh_facts_get(s, index)) != DH_BLOCK_FRESH))
		start_fresh(base, size);
	else
		expect_use(base);
	t->fresh = (uintptr_t)dh_flat_cell(base);
	t->fresh_bytes = t->fresh ? whole(small) / DH_GRANULE * sizeof(struct dh_cell) : 0;
	uint32_t site = site_of(t, pc);
	if (DH_UNLIKELY(dh_observer != NULL))
		dh_observe_alloc(t, base, size, site);
	dh_facts_set(s, index, dh_facts_live(dh_heap_hand(t, site), small));
}

DH_INLINE void *give_small(struct dh_self *t, unsigned class, size_t size, uint64_t pc)
{
	struct dh_heap_cache *c = dh_heap_cache_get();
	if (DH_UNLIKELY(!c))
		return NULL;
	dh_block b = dh_heap_shelf_take(&c->shelves[class], class);
	dh_heap_cache_done(c);
	if (DH_UNLIKELY(!b))
		return NULL;
	struct dh_slab *s = dh_block_slab(b);
	uint32_t index = dh_block_index(b);
	uintptr_t base = s->base + (uintptr_t)index * s->size;
	set_given(t, s, index, base, size, (uint32_t)size, pc);
	return (void *)base;
}

static void *give_large(struct dh_self *t, size_t size, size_t align, uint64_t pc,
			bool *zero)
{
	struct dh_slab *s = dh_large_take(size, align);
	if (!s)
		return NULL;
	s->fresh = 1; /* the head has facts in it now */
	*zero = s->zero;
	__atomic_store_n(&s->asked, size, __ATOMIC_RELAXED);
	set_given(t, s, 0, s->base, size, 0, pc);
	return (void *)s->base;
}

/* The least class with room for size whose blocks are all at multiples of align;
 * DH_CLASSES where there is none. */
DH_INLINE unsigned class_for(size_t size, size_t align)
{
	if (DH_UNLIKELY(size > DH_SMALL_MAX || align > DH_UNIT))
		return DH_CLASSES;
	unsigned class = dh_class_of(dh_with_tail(size));
	if (DH_UNLIKELY(align > MIN_ALIGN))
		while (class < DH_CLASSES && dh_class_size(class) % align)
			class ++;
	return class;
}

DH_INLINE void *give(size_t size, size_t align, uint64_t pc, bool *zero)
{
	struct dh_self *t = dh_thread_self();
	unsigned class = class_for(size, align);
	*zero = false;
	dh_enter_runtime(t);
	void *block = DH_LIKELY(class < DH_CLASSES)
			  ? give_small(t, class, size, pc)
			  : give_large(t, size, align, pc, zero);
	dh_leave_runtime(t);
	return block;
}

void *dh_heap_alloc(size_t size, size_t align, uint64_t pc)
{
	bool zero;
	return give(size, align, pc, &zero);
}

void *dh_heap_alloc_zero(size_t size, uint64_t pc)
{
	bool zero;
	void *block = give(size, MIN_ALIGN, pc, &zero);
	if (block && !zero)
		dh_zero(block, size);
	return block;
}

/* ---- taking back ---- */

static DH_COLD void complain(uintptr_t addr)
{
	struct dh_heap_block b;
	if (__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED))
		return;
	char text[] = "0x0000000000000000\n";
	uintptr_t left = addr;
	for (size_t i = sizeof text - 3; i > 1; i--, left >>= 4)
		text[i] = "0123456789abcdef"[left & 15];
	static const char twice[] = "deadheat: double free, passed over: ";
	static const char wild[] =
	    "deadheat: free of what is no heap block, passed over: ";
	if (dh_heap_find(addr, &b) && b.base == addr)
		dh_sys_write(2, twice, sizeof twice - 1);
	else
		dh_sys_write(2, wild, sizeof wild - 1);
	dh_sys_write(2, text, sizeof text - 1);
}

static void put_away(const struct dh_heap_found *f)
{
	struct dh_slab *s = f->slab;
	if (DH_UNLIKELY(s->class >= DH_CLASSES)) {
		dh_large_give(s);
		return;
	}
	struct dh_heap_cache *c = dh_heap_cache_get();
	if (!c)
		return;
	dh_heap_shelf_give(&c->shelves[s->class], s->class, s, f->index);
	dh_heap_cache_done(c);
}

/* See callers.h. */
static bool judged(uint64_t pc)
{
	return dh_caller_of_call(pc) == DH_CALLER_WATCHED;
}

void dh_heap_free(void *block, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	struct dh_heap_found f;
	if (!block)
		return;
	if (DH_UNLIKELY(!dh_heap_locate_live((uintptr_t)block, &f))) {
		complain((uintptr_t)block);
		return;
	}
	dh_enter_runtime(t);
	uint32_t site = site_of(t, pc);
	dh_access_end(t, f.base, dh_heap_asked(&f), site, judged(pc) ? pc : 0);
	dh_facts_set(
	    f.slab, f.index,
	    dh_facts_freed(dh_facts_get(f.slab, f.index), dh_heap_hand(t, site)));
	put_away(&f);
	dh_leave_runtime(t);
}

/* ---- resizing ---- */

static size_t room_of(const struct dh_heap_found *f)
{
	const struct dh_slab *s = f->slab;
	return s->class < DH_CLASSES ? s->size - (s->tailed ? DH_TAIL : 0) : s->room;
}

/* The same block with another size: a new one in the eyes of the program, whose bytes
 * this thread has written. */
static void resize_here(const struct dh_heap_found *f, size_t size, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	size_t old = dh_heap_asked(f);
	bool small = f->slab->class < DH_CLASSES;
	if (judged(pc))
		dh_access_range(f->base, old, DH_ACCESS_WRITE, pc);
	dh_enter_runtime(t);
	if (size > old) {
		uintptr_t from = f->base + whole(old), to = f->base + whole(size);
		dh_shadow_clear(from, to - from);
		dh_sync_forget_range(f->base + old, size - old);
		dh_labels_forget(f->base + old, size - old);
	}
	uint32_t site = site_of(t, pc);
	if (DH_UNLIKELY(dh_observer != NULL))
		dh_observe_alloc(t, f->base, size, site);
	dh_facts_set(f->slab, f->index,
		     dh_facts_live(dh_heap_hand(t, site), small ? (uint32_t)size : 0));
	if (!small)
		__atomic_store_n(&f->slab->asked, size, __ATOMIC_RELAXED);
	dh_leave_runtime(t);
}

void *dh_heap_resize(void *block, size_t size, uint64_t pc)
{
	struct dh_heap_found f;
	if (!dh_heap_locate_live((uintptr_t)block, &f)) {
		complain((uintptr_t)block);
		return NULL;
	}
	if (size <= room_of(&f) && size >= room_of(&f) / 2) {
		resize_here(&f, size, pc);
		return block;
	}
	void *made = dh_heap_alloc(size, MIN_ALIGN, pc);
	if (!made)
		return NULL;
	dh_copy(made, block, DH_MIN(dh_heap_asked(&f), size));
	dh_heap_free(block, pc);
	return made;
}

/* ---- the rest ---- */

void dh_heap_before_fork(void)
{
	dh_heap_cache_lock_all();
	dh_stock_lock_all();
	dh_lock(&dh_large_lock);
	dh_lock(&dh_slab_lock);
}

void dh_heap_after_fork(void)
{
	dh_unlock(&dh_slab_lock);
	dh_unlock(&dh_large_lock);
	dh_stock_unlock_all();
	dh_heap_cache_unlock_all();
}

void dh_heap_get_stats(struct dh_heap_stats *s)
{
	struct dh_slab_stats slabs;
	dh_slab_get_stats(&slabs);
	*s = (struct dh_heap_stats){
	    .mapped = slabs.mapped,
	    .facts = slabs.heads,
	    .hands_lost = dh_heap_hands_lost(),
	    .wrong_frees = __atomic_load_n(&wrong, __ATOMIC_RELAXED),
	};
}
