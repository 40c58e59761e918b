/* SPDX-License-Identifier: MIT */
/*
 * The table of pairs.h.
 *
 * The list begins at the link of element 0, which is no pair. In level k of the tree of
 * shortcuts there are 2^k, for the pairs whose hashes begin with the same k bits; the
 * two below shortcut i are 2i and 2i + 1. A shortcut is the number of the last pair
 * before those, or of an earlier one; or 0: nobody has looked yet, and the shortcut above
 * has to do. Beside each shortcut is the number of a pair behind it that was found last:
 * with two shortcuts for each pair that is mostly the one that is looked for.
 */
#include "context/pairs.h"
#include "base/mem.h"
#include "base/sys.h"

enum {
	COMMIT_STEP = 256 << 10, /* bytes made usable at a time */
	LEAST = 4096,		 /* pairs; with less address space we cannot go on */
	PAIRS_PER_CUT = 2,	 /* when full */
	FIRST_LEVEL = 6,
	HASH_BITS = 32,
};

static size_t whole_steps(size_t size)
{
	return (size + COMMIT_STEP - 1) / COMMIT_STEP * COMMIT_STEP;
}

static size_t reserved_bytes(const struct dh_pairs *p)
{
	return whole_steps((size_t)p->limit * p->stride);
}

static size_t cuts_bytes(uint32_t level)
{
	return ((size_t)2 << level) * sizeof(uint32_t);
}

/* Makes memory usable up to `end`. Two threads may ask for the same pages at once,
 * which does no harm. */
static bool commit(struct dh_pairs *p, size_t end)
{
	size_t have = __atomic_load_n(&p->committed, __ATOMIC_ACQUIRE);
	while (DH_UNLIKELY(have < end)) {
		size_t want = whole_steps(end);
		if (!dh_sys_commit(p->base + have, want - have))
			return false;
		__atomic_compare_exchange_n(&p->committed, &have, want, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
		have = __atomic_load_n(&p->committed, __ATOMIC_ACQUIRE);
	}
	return true;
}

void dh_pairs_init(struct dh_pairs *p, uint32_t most, size_t stride)
{
	*p = (struct dh_pairs){.stride = stride, .next = 1};
	p->limit = DH_MIN(most, DH_PAIR_MOST - 1) + 1;
	while (!(p->base = dh_sys_reserve(reserved_bytes(p))) && p->limit > LEAST)
		p->limit /= 2;
	DH_CHECK(p->base != NULL && commit(p, stride));
	while ((uint64_t)PAIRS_PER_CUT << p->most < p->limit)
		p->most++;
	p->level = DH_MIN((uint32_t)FIRST_LEVEL, p->most);
	p->cuts = dh_mem_alloc(cuts_bytes(p->most));
	p->found = dh_mem_alloc(cuts_bytes(p->most));
}

void dh_pairs_free(struct dh_pairs *p)
{
	dh_sys_unmap(p->base, reserved_bytes(p));
	dh_mem_free(p->cuts, cuts_bytes(p->most));
	dh_mem_free(p->found, cuts_bytes(p->most));
}

static uint32_t hash_of(uint32_t owner, uint64_t pc)
{
	return (uint32_t)dh_mix(pc ^ (uint64_t)owner << 40 ^ owner);
}

static uint32_t next_of(uint32_t link)
{
	return link & ~(DH_PAIR_ALIAS | DH_PAIR_FOLDED);
}

/* A way to where a pair is in the list, or would be. */
struct way {
	uint32_t owner;
	uint64_t pc;
	uint32_t hash;
	uint32_t last; /* the last pair on the way (0: the start of the list), */
	uint32_t link; /* and its link when it was looked at */
};

/* Walks on to the pair and returns its number; or to the last one before where it would
 * be, and returns 0. */
static uint32_t walk(const struct dh_pairs *p, struct way *w)
{
	for (;;) {
		const struct dh_pair *pair = dh_pairs_at(p, w->last);
		w->link = __atomic_load_n(&pair->link, __ATOMIC_ACQUIRE);
		uint32_t next = next_of(w->link);
		if (!next)
			return 0;
		pair = dh_pairs_at(p, next);
		if (pair->pc == w->pc && pair->owner == w->owner)
			return next;
		if (hash_of(pair->owner, pair->pc) > w->hash)
			return 0;
		w->last = next;
	}
}

/* The last pair whose hash is less, from one whose hash is, or the start, on. */
static uint32_t last_below(const struct dh_pairs *p, uint32_t from, uint32_t hash)
{
	for (;;) {
		const struct dh_pair *pair = dh_pairs_at(p, from);
		uint32_t next = next_of(__atomic_load_n(&pair->link, __ATOMIC_ACQUIRE));
		pair = dh_pairs_at(p, next);
		if (!next || hash_of(pair->owner, pair->pc) >= hash)
			return from;
		from = next;
	}
}

/* The shortcut for a hash in a level. */
static uint32_t cut_for(uint32_t hash, uint32_t level)
{
	return (1u << level) + (uint32_t)((uint64_t)hash >> (HASH_BITS - level));
}

/* Takes the shortcut for the pair. Where it is not known, those above it, from the first
 * that is, are made as short as they can be: each has fallen behind as the list grew. */
static struct way set_out(const struct dh_pairs *p, uint32_t owner, uint64_t pc)
{
	struct way w = {.owner = owner, .pc = pc, .hash = hash_of(owner, pc)};
	uint32_t level = __atomic_load_n(&p->level, __ATOMIC_RELAXED), at = level;
	uint32_t cut = cut_for(w.hash, level);
	/* Acquire: what it leads to is complete. */
	while (!(w.last =
		     __atomic_load_n(&p->cuts[cut >> (level - at)], __ATOMIC_ACQUIRE)) &&
	       at)
		at--;
	for (; at <= level; at++) {
		uint32_t i = cut >> (level - at), first = i - (1u << at);
		uint32_t begins = (uint32_t)((uint64_t)first << (HASH_BITS - at));
		w.last = last_below(p, w.last, begins);
		if (__atomic_load_n(&p->cuts[i], __ATOMIC_RELAXED) != w.last)
			__atomic_store_n(&p->cuts[i], w.last, __ATOMIC_RELEASE);
	}
	return w;
}

/* Most that are looked for were found before, by another thread: each has a cache of its
 * own. */
uint32_t dh_pairs_find(const struct dh_pairs *p, uint32_t owner, uint64_t pc)
{
	uint32_t level = __atomic_load_n(&p->level, __ATOMIC_RELAXED);
	uint32_t *last = &p->found[cut_for(hash_of(owner, pc), level)];
	uint32_t id = __atomic_load_n(last, __ATOMIC_ACQUIRE);
	const struct dh_pair *pair = dh_pairs_at(p, id);
	if (DH_LIKELY(id && pair->pc == pc && pair->owner == owner))
		return id;
	struct way w = set_out(p, owner, pc);
	if ((id = walk(p, &w)))
		__atomic_store_n(last, id, __ATOMIC_RELEASE);
	return id;
}

uint32_t dh_pairs_reserve(struct dh_pairs *p)
{
	/* Relaxed: the number alone carries no data. Looked at before it is raised,
	 * so that it stays near the limit and cannot wrap. */
	if (__atomic_load_n(&p->next, __ATOMIC_RELAXED) >= p->limit)
		return 0;
	uint32_t id = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED);
	if (id >= p->limit || !commit(p, ((size_t)id + 1) * p->stride))
		return 0;
	return id;
}

/* One pair more in the list; and more shortcuts, so that there are two for each. */
static void count_one(struct dh_pairs *p)
{
	uint32_t count = __atomic_add_fetch(&p->count, 1, __ATOMIC_RELAXED);
	uint32_t level = __atomic_load_n(&p->level, __ATOMIC_RELAXED);
	if (count * 2 >> level && level < p->most)
		__atomic_compare_exchange_n(&p->level, &level, level + 1, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

uint32_t dh_pairs_publish(struct dh_pairs *p, uint32_t id, uint32_t owner, uint64_t pc,
			  uint32_t flags)
{
	struct way w = set_out(p, owner, pc);
	struct dh_pair *pair = dh_pairs_at(p, id), *last;
	uint32_t found;
	pair->pc = pc;
	pair->owner = owner;
	do {
		/* What came in since the last look lies behind the last pair. */
		if ((found = walk(p, &w)))
			return found;
		last = dh_pairs_at(p, w.last);
		__atomic_store_n(&pair->link, next_of(w.link) | flags, __ATOMIC_RELAXED);
		/* Release: the pair is complete before it can be found. */
	} while (!__atomic_compare_exchange_n(&last->link, &w.link,
					      id | (w.link ^ next_of(w.link)), false,
					      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	count_one(p);
	return id;
}

size_t dh_pairs_bytes(const struct dh_pairs *p)
{
	return __atomic_load_n(&p->committed, __ATOMIC_RELAXED) +
	       2 * cuts_bytes(__atomic_load_n(&p->level, __ATOMIC_RELAXED));
}
