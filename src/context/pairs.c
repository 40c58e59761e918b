/* SPDX-License-Identifier: MIT */
/* The table of pairs.h. */
#include "context/pairs.h"
#include "base/mem.h"
#include "base/sys.h"

enum {
	COMMIT_STEP = 256 << 10, /* bytes made usable at a time */
	LEAST = 4096,		 /* pairs; with less address space we cannot go on */
	PAIRS_PER_BUCKET = 4,	 /* when full */
};

static size_t whole_steps(size_t size)
{
	return (size + COMMIT_STEP - 1) / COMMIT_STEP * COMMIT_STEP;
}

static size_t reserved_bytes(const struct dh_pairs *p)
{
	return whole_steps((size_t)p->limit * p->stride);
}

void dh_pairs_init(struct dh_pairs *p, uint32_t most, size_t stride)
{
	*p = (struct dh_pairs){.stride = stride, .next = 1};
	p->limit = DH_MIN(most, DH_PAIR_MOST - 1) + 1;
	while (!(p->base = dh_sys_reserve(reserved_bytes(p))) && p->limit > LEAST)
		p->limit /= 2;
	DH_CHECK(p->base != NULL);
	p->mask = (uint32_t)dh_pow2(DH_MAX(p->limit / PAIRS_PER_BUCKET, 1u)) - 1;
	p->buckets = dh_mem_alloc(((size_t)p->mask + 1) * sizeof *p->buckets);
}

void dh_pairs_free(struct dh_pairs *p)
{
	dh_sys_unmap(p->base, reserved_bytes(p));
	dh_mem_free(p->buckets, ((size_t)p->mask + 1) * sizeof *p->buckets);
}

static uint32_t *bucket_of(const struct dh_pairs *p, uint32_t owner, uint64_t pc)
{
	return &p->buckets[dh_mix(pc ^ (uint64_t)owner << 40 ^ owner) & p->mask];
}

/* Looks through a chain from `from` up to (not including) `stop`. */
static uint32_t search(const struct dh_pairs *p, uint32_t from, uint32_t stop,
		       uint32_t owner, uint64_t pc)
{
	for (uint32_t id = from; id != stop;) {
		const struct dh_pair *pair = dh_pairs_at(p, id);
		if (pair->pc == pc && pair->owner == owner)
			return id;
		/* Relaxed: only flags ever change in it. */
		id = __atomic_load_n(&pair->link, __ATOMIC_RELAXED) &
		     ~(DH_PAIR_ALIAS | DH_PAIR_FOLDED);
	}
	return 0;
}

uint32_t dh_pairs_find(const struct dh_pairs *p, uint32_t owner, uint64_t pc)
{
	uint32_t head = __atomic_load_n(bucket_of(p, owner, pc), __ATOMIC_ACQUIRE);
	return search(p, head, 0, owner, pc);
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

uint32_t dh_pairs_publish(struct dh_pairs *p, uint32_t id, uint32_t owner, uint64_t pc,
			  uint32_t flags)
{
	uint32_t *bucket = bucket_of(p, owner, pc);
	struct dh_pair *pair = dh_pairs_at(p, id);
	pair->pc = pc;
	pair->owner = owner;
	uint32_t head = __atomic_load_n(bucket, __ATOMIC_ACQUIRE), searched = 0;
	do {
		/* What came in since the last look lies between head and searched. */
		uint32_t found = search(p, head, searched, owner, pc);
		if (found)
			return found;
		searched = head;
		__atomic_store_n(&pair->link, head | flags, __ATOMIC_RELAXED);
		/* Release: the pair is complete before it can be found. Acquire on
		 * failure: we go on reading from the new head. */
	} while (!__atomic_compare_exchange_n(bucket, &head, id, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	__atomic_fetch_add(&p->count, 1, __ATOMIC_RELAXED);
	return id;
}

size_t dh_pairs_bytes(const struct dh_pairs *p)
{
	return __atomic_load_n(&p->committed, __ATOMIC_RELAXED) +
	       ((size_t)p->mask + 1) * sizeof *p->buckets;
}
