/* SPDX-License-Identifier: MIT */
/*
 * The table of interned threadsets; see threadset.h.
 *
 * Like the locksets: immutable sets in stable storage, found by content through a
 * hash index. On top of that a reference count per set.
 *
 * Invariants
 *   (A) One number per content: insertion only under the mutex, after a look-up
 *       under the mutex found none.
 *   (B) A set is complete before its number can be had.
 *   (C) Between two quiescent points no set leaves the table. So a look-up may
 *       raise any count that it finds, also from zero: there is no moment at
 *       which a set has been given up but can still be found.
 *   (D) garbage = sets whose count is zero, once all calls have returned: the
 *       step from 1 to 0 adds one, the step from 0 to 1 takes one away, and each
 *       step is one atomic operation of one thread.
 */
#include "lockset/threadset.h"
#include "base/lock.h"
#include "base/stable.h"
#include "base/vec.h"
#include "lockset/index.h"

struct set {
	uint64_t refs; /* atomic */
	uint32_t count;
	uint32_t hash;
	struct dh_label items[]; /* ascending slots */
};

struct dh_threadset_table {
	struct dh_lock lock;	 /* serialises insertions */
	struct dh_stable sets;	 /* number -> struct set *, atomic; NULL: not in use */
	struct dh_index by_hash; /* content -> number */
	struct dh_vec(uint32_t) free_ids; /* under lock: numbers to be given again */
	uint32_t next;			  /* under lock: lowest number never given */
	int64_t garbage;		  /* atomic; may dip below zero for a moment */
	uint64_t kept;			  /* this and the rest: atomic, under lock */
	uint64_t inserted;
	uint64_t reclaimed;
	uint64_t set_bytes;
};

static size_t set_bytes(uint32_t count)
{
	return sizeof(struct set) + (size_t)count * sizeof(struct dh_label);
}

static struct set **place_of(const struct dh_threadset_table *t, dh_threadset id)
{
	return dh_stable_get(&t->sets, id, sizeof(struct set *));
}

static struct set *set_of(const struct dh_threadset_table *t, dh_threadset id)
{
	struct set **place = place_of(t, id);
	DH_ASSERT(place != NULL);
	/* Acquire: (B), also for a number that came here by a relaxed load. */
	return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

static void count_up(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

struct dh_threadset_table *dh_threadset_table_new(void)
{
	struct dh_threadset_table *t = dh_mem_alloc(sizeof *t);
	t->next = DH_THREADSET_EMPTY + 1;
	return t;
}

/* Gives a set back to the allocator; its number is left to the caller. */
static void drop(struct dh_threadset_table *t, struct set **place)
{
	size_t bytes = set_bytes((*place)->count);
	t->set_bytes -= bytes;
	dh_mem_free(*place, bytes);
	*place = NULL;
}

void dh_threadset_table_free(struct dh_threadset_table *t)
{
	for (dh_threadset id = 1; id < t->next; id++)
		if (*place_of(t, id))
			drop(t, place_of(t, id));
	dh_stable_free(&t->sets, sizeof(struct set *));
	dh_index_free(&t->by_hash);
	dh_vec_free(&t->free_ids);
	dh_mem_free(t, sizeof *t);
}

/* ---- interning ---- */

static uint32_t hash_of(const struct dh_label *labels, uint32_t count)
{
	uint64_t h = count;
	for (uint32_t i = 0; i < count; i++)
		h = dh_mix(h ^ ((uint64_t)labels[i].slot << 32 | labels[i].clock)) + i;
	return (uint32_t)(h ^ h >> 32);
}

static DH_UNUSED bool ascending(const struct dh_label *labels, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (labels[i - 1].slot >= labels[i].slot)
			return false;
	return true;
}

static dh_threadset find(const struct dh_threadset_table *t, uint32_t hash,
			 const struct dh_label *labels, uint32_t count)
{
	dh_threadset id;
	struct dh_probe p = dh_index_probe(&t->by_hash, hash);
	while ((id = dh_index_next(&p))) {
		const struct set *s = set_of(t, id);
		if (s->count == count &&
		    dh_same(s->items, labels, count * sizeof *labels))
			break;
	}
	return id;
}

static dh_threadset take_id(struct dh_threadset_table *t)
{
	if (t->free_ids.len)
		return dh_vec_pop(&t->free_ids);
	DH_CHECK(t->next != UINT32_MAX);
	return t->next++;
}

/* A new set with one reference; under the lock. */
static dh_threadset insert(struct dh_threadset_table *t, uint32_t hash,
			   const struct dh_label *labels, uint32_t count)
{
	dh_threadset id = take_id(t);
	struct set *s = dh_mem_alloc(set_bytes(count));
	s->refs = 1;
	s->count = count;
	s->hash = hash;
	dh_copy(s->items, labels, count * sizeof *labels);
	struct set **place = dh_stable_make(&t->sets, id, sizeof *place);
	__atomic_store_n(place, s, __ATOMIC_RELEASE); /* (B) */
	count_up(&t->kept, 1);
	count_up(&t->inserted, 1);
	count_up(&t->set_bytes, set_bytes(count));
	dh_index_insert(&t->by_hash, hash, id);
	return id;
}

dh_threadset dh_threadset_make(struct dh_threadset_table *t,
			       const struct dh_label *labels, uint32_t count)
{
	DH_ASSERT(ascending(labels, count));
	if (count == 0)
		return DH_THREADSET_EMPTY;
	uint32_t hash = hash_of(labels, count);
	dh_threadset id = find(t, hash, labels, count);
	if (id)
		return dh_threadset_ref(t, id);
	dh_lock(&t->lock);
	id = find(t, hash, labels, count);
	if (id)
		dh_threadset_ref(t, id);
	else
		id = insert(t, hash, labels, count);
	dh_unlock(&t->lock);
	return id;
}

/* ---- references ---- */

/* Relaxed throughout: nothing is freed on the strength of a count but at a
 * quiescent point, and reaching that orders all these steps before it. */

dh_threadset dh_threadset_ref(struct dh_threadset_table *t, dh_threadset s)
{
	if (s == DH_THREADSET_EMPTY)
		return s;
	if (__atomic_fetch_add(&set_of(t, s)->refs, 1, __ATOMIC_RELAXED) == 0)
		__atomic_fetch_sub(&t->garbage, 1, __ATOMIC_RELAXED);
	return s;
}

void dh_threadset_unref(struct dh_threadset_table *t, dh_threadset s)
{
	if (s == DH_THREADSET_EMPTY)
		return;
	uint64_t before = __atomic_fetch_sub(&set_of(t, s)->refs, 1, __ATOMIC_RELAXED);
	DH_ASSERT(before > 0);
	if (before == 1)
		__atomic_fetch_add(&t->garbage, 1, __ATOMIC_RELAXED);
}

const struct dh_label *dh_threadset_items(const struct dh_threadset_table *t,
					  dh_threadset s, uint32_t *count)
{
	static const struct dh_label none;
	if (s == DH_THREADSET_EMPTY) {
		*count = 0;
		return &none;
	}
	const struct set *set = set_of(t, s);
	*count = set->count;
	return set->items;
}

/* ---- reclamation ---- */

/* The index knows no removal, so what is left is put into a new one. */
uint64_t dh_threadset_reclaim(struct dh_threadset_table *t)
{
	if (t->garbage == 0)
		return 0;
	uint64_t swept = 0;
	dh_index_free(&t->by_hash);
	for (dh_threadset id = 1; id < t->next; id++) {
		struct set **place = place_of(t, id);
		if (*place && (*place)->refs > 0) {
			dh_index_insert(&t->by_hash, (*place)->hash, id);
		} else if (*place) {
			drop(t, place);
			dh_vec_push(&t->free_ids, id);
			swept++;
		}
	}
	dh_index_trim(&t->by_hash);
	DH_CHECK(swept == (uint64_t)t->garbage); /* (D) */
	t->garbage = 0;
	t->kept -= swept;
	t->reclaimed += swept;
	return swept;
}

uint64_t dh_threadset_garbage(const struct dh_threadset_table *t)
{
	int64_t n = __atomic_load_n(&t->garbage, __ATOMIC_RELAXED);
	return n > 0 ? (uint64_t)n : 0;
}

void dh_threadset_get_stats(const struct dh_threadset_table *t,
			    struct dh_threadset_stats *s)
{
	uint64_t garbage = dh_threadset_garbage(t);
	s->kept = __atomic_load_n(&t->kept, __ATOMIC_RELAXED);
	s->live = s->kept - DH_MIN(garbage, s->kept);
	s->inserted = __atomic_load_n(&t->inserted, __ATOMIC_RELAXED);
	s->reclaimed = __atomic_load_n(&t->reclaimed, __ATOMIC_RELAXED);
	s->bytes = sizeof *t + __atomic_load_n(&t->set_bytes, __ATOMIC_RELAXED) +
		   dh_stable_bytes(&t->sets, sizeof(struct set *)) +
		   __atomic_load_n(&t->by_hash.bytes, __ATOMIC_RELAXED);
}
