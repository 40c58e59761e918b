/* SPDX-License-Identifier: MIT */
/*
 * Heads of slabs, and the directory from addresses to slabs; see heap_slab.h. The
 * regions that runs of units come from are in heap_region.c.
 */
#include "runtime/heap_slab.h"
#include "base/mem.h"
#include "base/sys.h"
#include "runtime/heap_region.h"
#include "runtime/shadow.h"
#include "runtime/sync.h"

enum {
	PAGE = 4096,
	HEADS_AT_ONCE = 256 << 10, /* bytes */
};

struct dh_slab **dh_heap_directory[1 << DH_HEAP_UPPER_BITS];
struct dh_slab *dh_slab_newest;
uint32_t dh_heap_layouts;
bool dh_heap_tails;
static struct dh_slab *spare[DH_HEADS]; /* by class; under dh_slab_lock */
static char *arena, *arena_end;		/* under dh_slab_lock */
static uint64_t huge_bytes, head_bytes; /* written under dh_slab_lock */
struct dh_lock dh_slab_lock;

/* ---- the directory ---- */

/* Makes [from, to) addresses of this slab; false where there is no memory for it, which
 * cannot be where it was done before. */
static bool enter(uintptr_t from, uintptr_t to, struct dh_slab *s)
{
	for (uintptr_t unit = from >> DH_UNIT_BITS; unit << DH_UNIT_BITS < to; unit++) {
		struct dh_slab ***up = &dh_heap_directory[unit >> DH_HEAP_LOWER_BITS];
		struct dh_slab **lower = *up;
		if (DH_UNLIKELY(!lower)) {
			lower = dh_mem_map(sizeof *lower << DH_HEAP_LOWER_BITS);
			if (!lower)
				return false;
			__atomic_store_n(up, lower, __ATOMIC_RELEASE);
		}
		__atomic_store_n(&lower[unit % (1 << DH_HEAP_LOWER_BITS)], s,
				 __ATOMIC_RELEASE);
	}
	return true;
}

/* ---- heads ---- */

static size_t in_lines(size_t size)
{
	return (size + DH_CACHE_LINE - 1) & ~(size_t)(DH_CACHE_LINE - 1);
}

void *dh_heap_arena(size_t size)
{
	size = in_lines(size);
	if ((size_t)(arena_end - arena) < size) {
		char *fresh = dh_mem_map(HEADS_AT_ONCE);
		if (!fresh)
			return NULL;
		arena = fresh;
		arena_end = fresh + HEADS_AT_ONCE;
	}
	char *got = arena;
	arena += size;
	head_bytes += size;
	return got;
}

/* How many kinds of facts there is place for: half a byte for each block. */
static uint32_t kinds_for(unsigned class, uint32_t blocks)
{
	return class < DH_CLASS_STEPS ? 1u << (31 - __builtin_clz(blocks / 16)) : 0;
}
_Static_assert(DH_KINDS_MOST == 4 * DH_UNIT / 16 / 16, "those of the smallest class");

static struct dh_slab *head_new(unsigned class)
{
	bool small = class < DH_CLASSES;
	uint32_t blocks = small ? dh_class_blocks(class) : 1,
		 kinds = kinds_for(class, blocks),
		 words = kinds ? kinds + (blocks + 3) / 4 : blocks;
	struct dh_slab *s;
	size_t before = small ? in_lines(dh_spans(blocks) * sizeof(struct dh_span)) : 0;
	char *got = dh_heap_arena(before + sizeof *s + words * sizeof s->facts[0]);
	if (!got)
		return NULL;
	s = (struct dh_slab *)(got + before);
	s->class = class;
	s->blocks = blocks;
	s->kinds = (uint16_t)kinds;
	s->size = small ? dh_class_size(class) : 0;
	s->magic = small ? dh_class_magic(class) : 0;
	s->older = dh_slab_newest;
	__atomic_store_n(&dh_slab_newest, s, __ATOMIC_RELEASE);
	return s;
}

/* Makes all blocks FRESH, those before kinds. */
static void forget_facts(struct dh_slab *s)
{
	for (uint32_t i = 0; s->kinds && i < s->fresh; i++)
		__atomic_store_n(&dh_slab_briefs(s)[i], 0, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < (s->kinds ? s->kinds : s->fresh); i++)
		__atomic_store_n(&s->facts[i], DH_BLOCK_FRESH, __ATOMIC_RELAXED);
}

/* A head with no blocks given out. */
static struct dh_slab *head_take(unsigned class)
{
	struct dh_slab *s = spare[class];
	if (!s)
		return head_new(class);
	spare[class] = s->next;
	forget_facts(s);
	for (uint32_t i = 0; class < DH_CLASSES && i < dh_spans(s->fresh); i++)
		*dh_span_of(s, i * DH_SPAN) = (struct dh_span){0};
	s->fresh = 0;
	return s;
}

static void head_give(struct dh_slab *s)
{
	s->next = spare[s->class];
	spare[s->class] = s;
}

/* ---- slabs in regions ---- */

static void count_layout(void)
{
	__atomic_store_n(&dh_heap_layouts, dh_heap_layouts + 1, __ATOMIC_RELEASE);
}

/* The slab is at base from now on. */
static bool begin(struct dh_slab *s, uintptr_t base)
{
	s->away = 0;
	if (!s->first)
		count_layout();
	__atomic_store_n(&s->base, base, __ATOMIC_RELEASE);
	if (enter(base, base + s->room, s))
		return true;
	__atomic_store_n(&s->base, 0, __ATOMIC_RELEASE);
	return false;
}

/* Before anybody can find it. */
static void set_tails(struct dh_slab *s, uintptr_t base)
{
	s->tailed = dh_heap_tails && s->size && s->size <= DH_TAILED_MAX;
	for (uint32_t i = 0; s->tailed && !s->zero && i < s->blocks; i++)
		__atomic_store_n(dh_slab_tail(s, base + (uintptr_t)i * s->size), 0,
				 __ATOMIC_RELAXED);
}

static struct dh_slab *make_in_region(unsigned class, unsigned units, unsigned align)
{
	struct dh_slab *s = head_take(class);
	if (!s)
		return NULL;
	s->units = units;
	s->room = (size_t)units * DH_UNIT;
	uintptr_t base = dh_heap_run_take(s, align);
	if (base)
		set_tails(s, base);
	if (base && begin(s, base))
		return s;
	if (base)
		dh_heap_run_give(s, base);
	head_give(s);
	return NULL;
}

struct dh_slab *dh_slab_make(unsigned class)
{
	dh_lock(&dh_slab_lock);
	struct dh_slab *s = make_in_region(class, dh_class_units(class), 1);
	dh_unlock(&dh_slab_lock);
	return s;
}

/* ---- mappings of their own ---- */

static uintptr_t map_aligned(size_t size, size_t align)
{
	uintptr_t got = (uintptr_t)dh_sys_map(size);
	if (!got || got % align == 0)
		return got;
	dh_sys_unmap((void *)got, size);
	got = (uintptr_t)dh_sys_map(size + align);
	if (!got)
		return 0;
	uintptr_t base = (got + align - 1) & ~(align - 1);
	if (base > got)
		dh_sys_unmap((void *)got, base - got);
	if (got + align > base)
		dh_sys_unmap((void *)(base + size), got + align - base);
	return base;
}

uintptr_t dh_heap_map(size_t size, size_t align)
{
	uintptr_t base = map_aligned(size, align);
	if (base) {
		/* What was here before may have gone without our knowing. */
		count_layout();
		dh_shadow_clear(base, size);
		dh_sync_forget_range(base, size);
	}
	return base;
}

static struct dh_slab *make_huge(size_t size, size_t align)
{
	struct dh_slab *s = head_take(DH_CLASS_HUGE);
	if (!s)
		return NULL;
	s->room = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
	s->zero = true;
	s->worn = false;
	uintptr_t base = dh_heap_map(s->room, DH_MAX(align, DH_HEAP_REGION));
	if (base && begin(s, base)) {
		huge_bytes += s->room;
		return s;
	}
	if (base)
		dh_sys_unmap((void *)base, s->room);
	head_give(s);
	return NULL;
}

static void drop_huge(struct dh_slab *s, uintptr_t base)
{
	dh_shadow_clear(base, s->room);
	dh_sync_forget_range(base, s->room);
	dh_sys_unmap((void *)base, s->room);
	huge_bytes -= s->room;
}

/* ---- both ---- */

struct dh_slab *dh_slab_make_one(size_t size, size_t align)
{
	if (size > PTRDIFF_MAX || align > (size_t)1 << (DH_HEAP_ADDRESS_BITS - 2))
		return NULL;
	dh_lock(&dh_slab_lock);
	struct dh_slab *s;
	if (size <= DH_HEAP_REGION / 2 && align <= DH_HEAP_REGION / 2)
		s = make_in_region(DH_CLASS_RUN,
				   (unsigned)((size + DH_UNIT - 1) / DH_UNIT),
				   (unsigned)((align + DH_UNIT - 1) / DH_UNIT));
	else
		s = make_huge(size, align);
	dh_unlock(&dh_slab_lock);
	return s;
}

void dh_slab_drop(struct dh_slab *s)
{
	dh_lock(&dh_slab_lock);
	uintptr_t base = s->base;
	enter(base, base + s->room, NULL);
	__atomic_store_n(&s->base, 0, __ATOMIC_RELEASE);
	count_layout();
	if (s->class == DH_CLASS_HUGE)
		drop_huge(s, base);
	else
		dh_heap_run_give(s, base);
	head_give(s);
	dh_unlock(&dh_slab_lock);
}

void dh_slab_get_stats(struct dh_slab_stats *s)
{
	dh_lock(&dh_slab_lock);
	s->mapped = huge_bytes + dh_heap_regions() * DH_HEAP_REGION;
	s->heads = head_bytes;
	dh_unlock(&dh_slab_lock);
}
