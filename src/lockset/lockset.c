/* SPDX-License-Identifier: MIT */
/*
 * The table of interned locksets; see lockset.h.
 *
 * A set is an immutable sorted array, found by number through stable storage and
 * by content through a hash index (index.h). Three memos (memo.h) remember
 * additions, removals and intersections.
 *
 * Invariants
 *   (A) One number per content: sets are inserted only under the mutex, after a
 *       look-up under the mutex found none.
 *   (B) A set is complete before its number can be had: its pointer is stored
 *       (release) before the number enters index, memo or a result.
 *   (C) An answer in a memo is final: sets never change, so neither do answers.
 */
#include "lockset/lockset.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/stable.h"
#include "lockset/index.h"
#include "lockset/memo.h"

enum { SCRATCH = 64 }; /* locks held at once before a temporary block is needed */

struct set {
	uint32_t count;
	uint32_t items[]; /* ascending */
};

struct dh_lockset_table {
	struct dh_lock lock;	 /* serialises all insertions */
	struct dh_stable sets;	 /* number -> struct set *, atomic */
	struct dh_index by_hash; /* content -> number */
	uint32_t count;		 /* atomic, written under lock: sets, the empty one too */
	uint64_t set_bytes;	 /* the same */
	struct dh_memo added;	 /* (set, lock) -> set */
	struct dh_memo removed;
	struct dh_memo met; /* (lower set, higher set) -> intersection */
};

/* Room for a set being computed. */
struct scratch {
	uint32_t *items;
	size_t bytes; /* > 0 where items is a block of its own */
	uint32_t count;
	uint32_t near[SCRATCH];
};

static void scratch_open(struct scratch *s, size_t most)
{
	s->count = 0;
	s->bytes = most > SCRATCH ? most * sizeof(uint32_t) : 0;
	s->items = s->bytes ? dh_mem_alloc(s->bytes) : s->near;
}

static void scratch_close(struct scratch *s)
{
	if (s->bytes)
		dh_mem_free(s->items, s->bytes);
}

static size_t set_bytes(uint32_t count)
{
	return sizeof(struct set) + (size_t)count * sizeof(uint32_t);
}

static const struct set *set_of(const struct dh_lockset_table *t, dh_lockset id)
{
	struct set **place = dh_stable_get(&t->sets, id, sizeof *place);
	DH_ASSERT(place != NULL);
	/* Acquire: (B), also for a number that came here by a relaxed load. */
	return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

/* ---- interning ---- */

static uint32_t hash_of(const uint32_t *items, uint32_t count)
{
	uint64_t h = count;
	for (uint32_t i = 0; i < count; i++)
		h = dh_mix(h ^ items[i]) + items[i];
	return (uint32_t)(h ^ h >> 32);
}

static dh_lockset find(const struct dh_lockset_table *t, uint32_t hash,
		       const uint32_t *items, uint32_t count)
{
	dh_lockset id;
	struct dh_probe p = dh_index_probe(&t->by_hash, hash);
	while ((id = dh_index_next(&p))) {
		const struct set *s = set_of(t, id);
		if (s->count == count && dh_same(s->items, items, count * sizeof *items))
			break;
	}
	return id;
}

/* A new set; under the lock. */
static dh_lockset insert(struct dh_lockset_table *t, uint32_t hash, const uint32_t *items,
			 uint32_t count)
{
	dh_lockset id = t->count;
	DH_CHECK(id != DH_LOCKSET_ALL);
	struct set *s = dh_mem_alloc(set_bytes(count));
	s->count = count;
	if (count)
		dh_copy(s->items, items, count * sizeof *items);
	struct set **place = dh_stable_make(&t->sets, id, sizeof *place);
	__atomic_store_n(place, s, __ATOMIC_RELEASE); /* (B) */
	__atomic_store_n(&t->count, id + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&t->set_bytes, t->set_bytes + set_bytes(count),
			 __ATOMIC_RELAXED);
	if (count)
		dh_index_insert(&t->by_hash, hash, id);
	return id;
}

static dh_lockset intern(struct dh_lockset_table *t, const uint32_t *items,
			 uint32_t count)
{
	if (count == 0)
		return DH_LOCKSET_EMPTY;
	uint32_t hash = hash_of(items, count);
	dh_lockset id = find(t, hash, items, count);
	if (id)
		return id;
	dh_lock(&t->lock);
	id = find(t, hash, items, count);
	if (!id)
		id = insert(t, hash, items, count);
	dh_unlock(&t->lock);
	return id;
}

static void remember(struct dh_lockset_table *t, struct dh_memo *m, uint64_t question,
		     dh_lockset answer)
{
	if (dh_memo_len(m) >= DH_MEMO_MOST)
		return; /* full: no use in queueing for the lock */
	dh_lock(&t->lock);
	dh_memo_put(m, question, answer);
	dh_unlock(&t->lock);
}

/* ---- the table ---- */

struct dh_lockset_table *dh_lockset_table_new(void)
{
	struct dh_lockset_table *t = dh_mem_alloc(sizeof *t);
	insert(t, 0, NULL, 0); /* the empty set has number 0 */
	return t;
}

void dh_lockset_table_free(struct dh_lockset_table *t)
{
	for (dh_lockset id = 0; id < t->count; id++) {
		struct set **place = dh_stable_get(&t->sets, id, sizeof *place);
		dh_mem_free(*place, set_bytes((*place)->count));
	}
	dh_stable_free(&t->sets, sizeof(struct set *));
	dh_index_free(&t->by_hash);
	dh_memo_free(&t->added);
	dh_memo_free(&t->removed);
	dh_memo_free(&t->met);
	dh_mem_free(t, sizeof *t);
}

void dh_lockset_get_stats(const struct dh_lockset_table *t, struct dh_lockset_stats *s)
{
	s->sets = __atomic_load_n(&t->count, __ATOMIC_RELAXED);
	s->intersections = dh_memo_len(&t->met);
	s->bytes = sizeof *t + __atomic_load_n(&t->set_bytes, __ATOMIC_RELAXED) +
		   dh_stable_bytes(&t->sets, sizeof(struct set *)) +
		   __atomic_load_n(&t->by_hash.bytes, __ATOMIC_RELAXED) +
		   __atomic_load_n(&t->added.bytes, __ATOMIC_RELAXED) +
		   __atomic_load_n(&t->removed.bytes, __ATOMIC_RELAXED) +
		   __atomic_load_n(&t->met.bytes, __ATOMIC_RELAXED);
}

/* ---- operations ---- */

static uint64_t question(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* Index of the first member that is not less than lock. */
static uint32_t lower(const struct set *s, uint32_t lock)
{
	uint32_t lo = 0, hi = s->count;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (s->items[mid] < lock)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void append(struct scratch *out, const uint32_t *items, uint32_t count)
{
	if (count)
		dh_copy(out->items + out->count, items, count * sizeof *items);
	out->count += count;
}

/* set with lock, or (with = false) without it; where that is a change. */
static DH_NOINLINE dh_lockset compute_change(struct dh_lockset_table *t, dh_lockset set,
					     uint32_t lock, bool with)
{
	const struct set *s = set_of(t, set);
	uint32_t at = lower(s, lock);
	bool has = at < s->count && s->items[at] == lock;
	if (has == with)
		return set;
	struct scratch out;
	scratch_open(&out, (size_t)s->count + 1);
	append(&out, s->items, at);
	if (with)
		append(&out, &lock, 1);
	append(&out, s->items + at + has, s->count - at - has);
	dh_lockset result = intern(t, out.items, out.count);
	scratch_close(&out);
	return result;
}

dh_lockset dh_lockset_add(struct dh_lockset_table *t, dh_lockset set, uint32_t lock)
{
	DH_ASSERT(set != DH_LOCKSET_ALL);
	dh_lockset result;
	if (DH_LIKELY(dh_memo_get(&t->added, question(set, lock), &result)))
		return result;
	result = compute_change(t, set, lock, true);
	remember(t, &t->added, question(set, lock), result);
	return result;
}

dh_lockset dh_lockset_remove(struct dh_lockset_table *t, dh_lockset set, uint32_t lock)
{
	DH_ASSERT(set != DH_LOCKSET_ALL);
	dh_lockset result;
	if (set == DH_LOCKSET_EMPTY)
		return set;
	if (DH_LIKELY(dh_memo_get(&t->removed, question(set, lock), &result)))
		return result;
	result = compute_change(t, set, lock, false);
	remember(t, &t->removed, question(set, lock), result);
	return result;
}

static DH_NOINLINE dh_lockset compute_meet(struct dh_lockset_table *t, dh_lockset a,
					   dh_lockset b)
{
	const struct set *x = set_of(t, a), *y = set_of(t, b);
	struct scratch out;
	scratch_open(&out, DH_MIN(x->count, y->count));
	for (uint32_t i = 0, j = 0; i < x->count && j < y->count;) {
		if (x->items[i] == y->items[j]) {
			append(&out, &x->items[i], 1);
			i++, j++;
		} else if (x->items[i] < y->items[j]) {
			i++;
		} else {
			j++;
		}
	}
	dh_lockset result = intern(t, out.items, out.count);
	scratch_close(&out);
	return result;
}

/* Sets of so few members are compared as they are, which takes no more than to look up
 * what was found before, and no room. */
enum { FEW = 3 };

/* True where the answer is one of the two, or none. */
static bool meet_few(const struct dh_lockset_table *t, dh_lockset a, dh_lockset b,
		     dh_lockset *result)
{
	const struct set *x = set_of(t, a), *y = set_of(t, b);
	uint32_t same = 0;
	if (x->count > FEW || y->count > FEW)
		return false;
	for (uint32_t i = 0; i < x->count; i++)
		for (uint32_t j = 0; j < y->count; j++)
			same += x->items[i] == y->items[j];
	*result = same == 0 ? DH_LOCKSET_EMPTY : same == x->count ? a : b;
	return same == 0 || same == x->count || same == y->count;
}

dh_lockset dh_lockset_intersect(struct dh_lockset_table *t, dh_lockset a, dh_lockset b)
{
	if (a == b || b == DH_LOCKSET_ALL)
		return a;
	if (a == DH_LOCKSET_ALL)
		return b;
	if (a == DH_LOCKSET_EMPTY || b == DH_LOCKSET_EMPTY)
		return DH_LOCKSET_EMPTY;
	dh_lockset result;
	if (DH_LIKELY(meet_few(t, a, b, &result)))
		return result;
	uint64_t q = question(DH_MIN(a, b), DH_MAX(a, b));
	if (DH_LIKELY(dh_memo_get(&t->met, q, &result)))
		return result;
	result = compute_meet(t, a, b);
	remember(t, &t->met, q, result);
	return result;
}

bool dh_lockset_has(const struct dh_lockset_table *t, dh_lockset set, uint32_t lock)
{
	if (set == DH_LOCKSET_ALL)
		return true;
	const struct set *s = set_of(t, set);
	uint32_t at = lower(s, lock);
	return at < s->count && s->items[at] == lock;
}

const uint32_t *dh_lockset_items(const struct dh_lockset_table *t, dh_lockset set,
				 uint32_t *count)
{
	DH_ASSERT(set != DH_LOCKSET_ALL);
	const struct set *s = set_of(t, set);
	*count = s->count;
	return s->items;
}
