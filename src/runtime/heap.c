/* SPDX-License-Identifier: MIT */
/*
 * The allocator; see heap.h. Small blocks pass through a cache that each thread has for
 * itself, large ones are slabs of their own (heap_large.c).
 *
 * A cache has a ring per class: freed blocks enter at the back, blocks to be given out
 * leave at the front. The last `hold` blocks in a ring are not given out while the
 * common stock has others. So a freed block rests for at least that many frees of its
 * class, and a use of it by another thread meets the record that the free has left.
 *
 * A block starts fresh when it is given out, not when it is freed: its shadow is
 * cleared and synchronisation objects in it are forgotten then. Blocks that were never
 * given out are fresh already.
 *
 * The cache of a thread that has ended is taken over, with what is in it, by one that
 * starts. Threads without state share one cache under a lock.
 */
#include "runtime/heap.h"
#include "base/sys.h"
#include "runtime/access.h"
#include "runtime/heap_large.h"
#include "runtime/heap_stock.h"
#include "runtime/sync.h"

enum {
	RING_MAX = 256,
	RING_MIN = 4,
	RING_BYTES = 16 << 10, /* of memory in a ring, about, where RING_MIN allows */
	LOW_BITS = 16,
	ID_BITS = 24,
	ID_MAX = (1 << ID_BITS) - 1,
	MIN_ALIGN = 16,
};

struct ring {
	dh_block *at;
	uint32_t head, count;
	uint32_t room; /* a power of two */
	uint32_t hold;
};

struct cache {
	struct cache *next;
	struct ring rings[DH_CLASSES];
	dh_block blocks[];
};

static __thread struct cache *mine __attribute__((tls_model("initial-exec")));
static struct cache *common; /* under common_lock */
static struct dh_lock common_lock;
static struct cache *spare; /* under spare_lock */
static struct dh_lock spare_lock;
static uint64_t wrong; /* atomic */

/* ---- caches ---- */

static uint32_t ring_room(unsigned class)
{
	uint32_t n = RING_BYTES / dh_class_size(class);
	return n <= RING_MIN ? RING_MIN : n >= RING_MAX ? RING_MAX : (uint32_t)dh_pow2(n) / 2;
}

static struct cache *cache_new(void)
{
	size_t blocks = 0;
	for (unsigned class = 0; class < DH_CLASSES; class++)
		blocks += ring_room(class);
	struct cache *c = dh_sys_map(sizeof *c + blocks * sizeof *c->blocks);
	if (!c)
		return NULL;
	dh_block *at = c->blocks;
	for (unsigned class = 0; class < DH_CLASSES; class++) {
		struct ring *r = &c->rings[class];
		r->room = ring_room(class);
		r->hold = r->room / 4;
		r->at = at;
		at += r->room;
	}
	return c;
}

static struct cache *cache_take(void)
{
	dh_lock(&spare_lock);
	struct cache *c = spare;
	if (c)
		spare = c->next;
	dh_unlock(&spare_lock);
	return c ? c : cache_new();
}

void dh_heap_thread_end(void)
{
	struct cache *c = mine;
	if (!c)
		return;
	mine = NULL;
	dh_lock(&spare_lock);
	c->next = spare;
	spare = c;
	dh_unlock(&spare_lock);
}

/* The cache to use, to be given back by cache_done(); NULL where there is no memory. */
static DH_COLD struct cache *cache_slow(const struct dh_self *t)
{
	if (t->state && (mine = cache_take()))
		return mine;
	dh_lock(&common_lock);
	if (!common && !(common = cache_new()))
		dh_unlock(&common_lock);
	return common;
}

static struct cache *cache_get(const struct dh_self *t)
{
	return DH_LIKELY(mine != NULL) ? mine : cache_slow(t);
}

static void cache_done(const struct cache *c)
{
	if (DH_UNLIKELY(c != mine))
		dh_unlock(&common_lock);
}

/* ---- rings ---- */

static DH_COLD void ring_fill(struct ring *r, unsigned class)
{
	dh_block got[RING_MAX / 2];
	unsigned n = dh_stock_take(class, got, r->room / 2);
	for (unsigned i = n; i > 0; i--)
		r->at[--r->head % r->room] = got[i - 1];
	r->count += n;
}

static DH_COLD void ring_drain(struct ring *r, unsigned class)
{
	dh_block out[RING_MAX / 2];
	unsigned n = r->room / 2;
	for (unsigned i = 0; i < n; i++)
		out[i] = r->at[r->head++ % r->room];
	r->count -= n;
	dh_stock_give(class, out, n);
}

/* A block, or 0. */
static dh_block ring_take(struct ring *r, unsigned class)
{
	if (DH_UNLIKELY(r->count <= r->hold))
		ring_fill(r, class);
	if (DH_UNLIKELY(!r->count))
		return 0;
	r->count--;
	return r->at[r->head++ & (r->room - 1)];
}

static void ring_give(struct ring *r, unsigned class, dh_block b)
{
	if (DH_UNLIKELY(r->count == r->room))
		ring_drain(r, class);
	r->at[(r->head + r->count++) & (r->room - 1)] = b;
}

/* ---- facts ---- */

/* Site and thread of a call, in place. Nothing while the runtime itself calls. */
static uint64_t who(struct dh_self *t, uint64_t pc)
{
	if (DH_UNLIKELY(!t->state || t->inside > 1))
		return 0;
	uint32_t site = dh_site_at_hand(t, pc);
	if (DH_UNLIKELY(!site))
		site = dh_thread_site(t, pc);
	uint32_t id = DH_MIN(t->state->info->id, (uint32_t)ID_MAX);
	return (uint64_t)site << (LOW_BITS + ID_BITS) | (uint64_t)id << LOW_BITS;
}

static uint32_t site_in(uint64_t fact)
{
	return (uint32_t)(fact >> (LOW_BITS + ID_BITS));
}

static uint32_t thread_in(uint64_t fact)
{
	return (uint32_t)(fact >> LOW_BITS) & ID_MAX;
}

static uint32_t low_in(uint64_t fact)
{
	return (uint32_t)fact & ((1u << LOW_BITS) - 1);
}

/* Release: who finds the block alive finds its size. */
static void set_given(struct dh_facts *f, uint64_t fact)
{
	__atomic_store_n(&f->given, fact, __ATOMIC_RELAXED);
	__atomic_store_n(&f->state, DH_BLOCK_LIVE, __ATOMIC_RELEASE);
}

/* A block, as found from an address. */
struct found {
	struct dh_slab *slab;
	struct dh_facts *facts;
	uintptr_t base;
	uint64_t index;
};

static bool find(uintptr_t addr, struct found *f)
{
	f->slab = dh_slab_of(addr);
	if (!f->slab)
		return false;
	f->base = __atomic_load_n(&f->slab->base, __ATOMIC_ACQUIRE);
	f->index = dh_slab_index(f->slab, f->base, addr);
	if (addr < f->base || f->index >= f->slab->blocks)
		return false;
	f->base += f->index * f->slab->size;
	f->facts = &f->slab->facts[f->index];
	return true;
}

static bool find_live(uintptr_t addr, struct found *f)
{
	return find(addr, f) && f->base == addr &&
	       low_in(__atomic_load_n(&f->facts->state, __ATOMIC_ACQUIRE)) == DH_BLOCK_LIVE;
}

static size_t asked_of(const struct found *f)
{
	return f->slab->class < DH_CLASSES
		       ? low_in(__atomic_load_n(&f->facts->given, __ATOMIC_RELAXED))
		       : __atomic_load_n(&f->slab->asked, __ATOMIC_RELAXED);
}

bool dh_heap_find(uintptr_t addr, struct dh_heap_block *out)
{
	struct found f;
	if (!find(addr, &f))
		return false;
	uint64_t state = __atomic_load_n(&f.facts->state, __ATOMIC_ACQUIRE);
	uint64_t given = __atomic_load_n(&f.facts->given, __ATOMIC_ACQUIRE);
	size_t size = asked_of(&f);
	/* Still the same block, in the same slab? If not it was something else, which
	 * is gone by now. */
	if (__atomic_load_n(&f.facts->state, __ATOMIC_ACQUIRE) != state ||
	    f.slab->base + f.index * f.slab->size != f.base || dh_slab_of(addr) != f.slab)
		return false;
	if (low_in(state) == DH_BLOCK_NEVER || addr - f.base >= size)
		return false;
	bool freed = low_in(state) == DH_BLOCK_FREED;
	*out = (struct dh_heap_block){
		.base = f.base,
		.size = size,
		.alloc_site = site_in(given),
		.alloc_thread = thread_in(given),
		.freed = freed,
		.free_site = freed ? site_in(state) : 0,
		.free_thread = freed ? thread_in(state) : 0,
	};
	return true;
}

size_t dh_heap_size(const void *block)
{
	struct found f;
	return find_live((uintptr_t)block, &f) ? asked_of(&f) : 0;
}

/* ---- giving out ---- */

static void start_fresh(struct dh_self *t, const struct dh_facts *f, uintptr_t base,
			size_t size)
{
	if (low_in(f->state) == DH_BLOCK_NEVER)
		return;
	uintptr_t last = base + size - 1, region = base >> DH_REGION_BITS;
	const struct dh_tlb_entry *e = &t->tlb.at[region % DH_TLB_ENTRIES];
	if (DH_LIKELY(e->region == region && size <= 1024))
		dh_zero(dh_shadow_at(e->bias, base), (last / 8 - base / 8 + 1) *
							     sizeof(struct dh_cell));
	else
		dh_shadow_clear(base, (size + 7) & ~(size_t)7);
	dh_sync_forget_range(base, size);
}

static void *give_small(struct dh_self *t, unsigned class, size_t size, uint64_t pc)
{
	struct cache *c = cache_get(t);
	if (DH_UNLIKELY(!c))
		return NULL;
	dh_block b = ring_take(&c->rings[class], class);
	cache_done(c);
	if (DH_UNLIKELY(!b))
		return NULL;
	struct dh_slab *s = dh_block_slab(b);
	uint32_t index = dh_block_index(b);
	uintptr_t base = s->base + (uintptr_t)index * dh_class_size(class);
	if (size)
		start_fresh(t, &s->facts[index], base, size);
	set_given(&s->facts[index], who(t, pc) | size);
	return (void *)base;
}

static void *give_large(struct dh_self *t, size_t size, size_t align, uint64_t pc,
			bool *zero)
{
	struct dh_slab *s = dh_large_take(size, align);
	if (!s)
		return NULL;
	if (size)
		start_fresh(t, &s->facts[0], s->base, size);
	s->fresh = 1; /* the head has facts in it now */
	*zero = s->zero;
	__atomic_store_n(&s->asked, size, __ATOMIC_RELAXED);
	set_given(&s->facts[0], who(t, pc));
	return (void *)s->base;
}

/* The least class with room for size whose blocks are all at multiples of align;
 * DH_CLASSES where there is none. */
static unsigned class_for(size_t size, size_t align)
{
	if (size > DH_SMALL_MAX || align > DH_UNIT)
		return DH_CLASSES;
	unsigned class = dh_class_of(size);
	if (DH_UNLIKELY(align > MIN_ALIGN))
		while (class < DH_CLASSES && dh_class_size(class) % align)
			class++;
	return class;
}

static void *give(size_t size, size_t align, uint64_t pc, bool *zero)
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
	for (size_t i = sizeof text - 3; i > 1; i--, addr >>= 4)
		text[i] = "0123456789abcdef"[addr & 15];
	static const char twice[] = "deadheat: double free, passed over: ";
	static const char wild[] = "deadheat: free of what is no heap block, passed over: ";
	if (dh_heap_find(addr, &b) && b.base == addr)
		dh_sys_write(2, twice, sizeof twice - 1);
	else
		dh_sys_write(2, wild, sizeof wild - 1);
	dh_sys_write(2, text, sizeof text - 1);
}

static void take_back(struct dh_self *t, const struct found *f, uint64_t pc)
{
	dh_enter_runtime(t);
	struct dh_slab *s = f->slab;
	__atomic_store_n(&f->facts->state, who(t, pc) | DH_BLOCK_FREED, __ATOMIC_RELEASE);
	if (DH_LIKELY(s->class < DH_CLASSES)) {
		struct cache *c = cache_get(t);
		if (c) {
			ring_give(&c->rings[s->class], s->class,
				  dh_block_make(s, f->index));
			cache_done(c);
		}
	} else {
		dh_large_give(s);
	}
	dh_leave_runtime(t);
}

void dh_heap_free(void *block, uint64_t pc)
{
	struct found f;
	if (!block)
		return;
	if (DH_UNLIKELY(!find_live((uintptr_t)block, &f))) {
		complain((uintptr_t)block);
		return;
	}
	dh_access_range(f.base, asked_of(&f), DH_ACCESS_WRITE | DH_ACCESS_FREE, pc);
	take_back(dh_thread_self(), &f, pc);
}

/* ---- resizing ---- */

static size_t room_of(const struct found *f)
{
	return f->slab->class < DH_CLASSES ? f->slab->size : f->slab->room;
}

/* The same block with another size: a new one in the eyes of the program, whose bytes
 * this thread has written. */
static void resize_here(struct dh_self *t, const struct found *f, size_t old, size_t size,
			uint64_t pc)
{
	dh_access_range(f->base, old, DH_ACCESS_WRITE, pc);
	dh_enter_runtime(t);
	if (size > old)
		dh_shadow_clear(f->base + old, size - old);
	bool small = f->slab->class < DH_CLASSES;
	__atomic_store_n(&f->facts->given, who(t, pc) | (small ? size : 0),
			 __ATOMIC_RELAXED);
	if (!small)
		__atomic_store_n(&f->slab->asked, size, __ATOMIC_RELAXED);
	dh_leave_runtime(t);
}

void *dh_heap_resize(void *block, size_t size, uint64_t pc)
{
	struct found f;
	if (!find_live((uintptr_t)block, &f)) {
		complain((uintptr_t)block);
		return NULL;
	}
	size_t old = asked_of(&f), room = room_of(&f);
	if (size <= room && size >= room / 2) {
		resize_here(dh_thread_self(), &f, old, size, pc);
		return block;
	}
	void *made = dh_heap_alloc(size, MIN_ALIGN, pc);
	if (!made)
		return NULL;
	dh_copy(made, block, DH_MIN(old, size));
	dh_heap_free(block, pc);
	return made;
}

/* ---- the rest ---- */

void dh_heap_before_fork(void)
{
	dh_lock(&common_lock);
	dh_lock(&spare_lock);
	dh_stock_lock_all();
	dh_lock(&dh_large_lock);
	dh_lock(&dh_slab_lock);
}

void dh_heap_after_fork(void)
{
	dh_unlock(&dh_slab_lock);
	dh_unlock(&dh_large_lock);
	dh_stock_unlock_all();
	dh_unlock(&spare_lock);
	dh_unlock(&common_lock);
}

void dh_heap_get_stats(struct dh_heap_stats *s)
{
	struct dh_slab_stats slabs;
	dh_slab_get_stats(&slabs);
	*s = (struct dh_heap_stats){
		.mapped = slabs.mapped,
		.facts = slabs.heads,
		.wrong_frees = __atomic_load_n(&wrong, __ATOMIC_RELAXED),
	};
}
