/* SPDX-License-Identifier: MIT */
/*
 * Interned sets of records; see sets.h.
 *
 * Canonical form: sorted by value, so that two ways to the same set give one. When the
 * table has reached its limit, a word keeps only the newest record and the rest is
 * counted as forgotten: that can hide a race, and the summary of the run says so.
 */
#include "runtime/sets.h"
#include "base/lock.h"
#include "base/mem.h"

enum {
	SHARDS = 64,
	BYTES_LIMIT = 1 << 30,
	BYTES_ROOMY = 1 << 26,
};

struct set {
	struct set *next; /* in its bucket; under the shard's lock */
	uint32_t hash;
	struct dh_set set; /* last: it ends with its records */
};

static struct shard {
	struct dh_lock lock;
	struct set **buckets; /* under lock */
	size_t bucket_count;  /* power of two */
	size_t len;
} shards[SHARDS];

DH_LOCKS_AROUND_FORK(shards, &shards[0].lock, SHARDS, sizeof shards[0], DH_FORK_TABLES);

static uint64_t sets;	   /* atomic */
static uint64_t bytes;	   /* atomic */
static uint64_t forgotten; /* atomic */

/* ---- interning ---- */

static uint32_t hash_of(const dh_record *at, uint32_t count)
{
	uint64_t h = count;
	for (uint32_t i = 0; i < count; i++)
		h = dh_mix(h ^ at[i]);
	return (uint32_t)(h ^ h >> 32);
}

static void grow(struct shard *s)
{
	size_t count = s->bucket_count ? s->bucket_count * 2 : 64;
	struct set **fresh = dh_mem_alloc(count * sizeof *fresh);
	for (size_t i = 0; i < s->bucket_count; i++) {
		for (struct set *e = s->buckets[i], *next; e; e = next) {
			next = e->next;
			struct set **to = &fresh[e->hash / SHARDS & (count - 1)];
			e->next = *to;
			*to = e;
		}
	}
	dh_mem_free(s->buckets, s->bucket_count * sizeof *s->buckets);
	s->buckets = fresh;
	s->bucket_count = count;
}

static struct set *insert(struct shard *s, uint32_t hash, const dh_record *at,
			  uint32_t count)
{
	size_t size = sizeof(struct set) + count * sizeof *at;
	if (__atomic_add_fetch(&bytes, size, __ATOMIC_RELAXED) > BYTES_LIMIT) {
		__atomic_fetch_sub(&bytes, size, __ATOMIC_RELAXED);
		return NULL;
	}
	if (s->len >= s->bucket_count)
		grow(s);
	struct set *e = dh_mem_alloc(size);
	e->hash = hash;
	e->set.count = count;
	dh_copy(e->set.at, at, count * sizeof *at);
	struct set **bucket = &s->buckets[hash / SHARDS & (s->bucket_count - 1)];
	e->next = *bucket;
	*bucket = e;
	s->len++;
	__atomic_fetch_add(&sets, 1, __ATOMIC_RELAXED);
	return e;
}

static struct set *find(const struct shard *s, uint32_t hash, const dh_record *at,
			uint32_t count)
{
	if (!s->bucket_count)
		return NULL;
	struct set *e = s->buckets[hash / SHARDS & (s->bucket_count - 1)];
	while (e && (e->hash != hash || e->set.count != count ||
		     !dh_same(e->set.at, at, count * sizeof *at)))
		e = e->next;
	return e;
}

/* *fresh: did it have to be made? */
static struct set *look_up(const dh_record *at, uint32_t count, bool make, bool *fresh)
{
	uint32_t hash = hash_of(at, count);
	struct shard *s = &shards[hash % SHARDS];
	dh_lock(&s->lock);
	struct set *e = find(s, hash, at, count);
	if ((*fresh = !e && make))
		e = insert(s, hash, at, count);
	dh_unlock(&s->lock);
	return e;
}

static dh_record intern(const dh_record *at, uint32_t count, dh_record newest,
			bool *fresh)
{
	*fresh = false;
	if (count < 2)
		return count ? at[0] : 0;
	struct set *e = look_up(at, count, true, fresh);
	if (DH_LIKELY(e != NULL))
		return dh_record_tag((uintptr_t)&e->set);
	__atomic_fetch_add(&forgotten, count - 1, __ATOMIC_RELAXED);
	return newest;
}

/* ---- adding ---- */

enum { FEW = 32 };

/* Does the newer record make the older superfluous? */
static bool stands_for(dh_record new, dh_record old, bool fine)
{
	return dh_record_slot(old) == dh_record_slot(new) &&
	       dh_record_atomic(old) >= dh_record_atomic(new) &&
	       (fine || !dh_record_beyond(old, dh_record_mask(new)));
}

/* Writes the records of the word with rec among them to `to`; returns how many. */
static uint32_t added(dh_record word, dh_record rec, bool fine, dh_record *to)
{
	dh_record place;
	uint32_t count, n = 0;
	const dh_record *at = dh_sets_items(word, &place, &count);
	for (uint32_t i = 0; !fine && i < count; i++)
		if (dh_record_joins(at[i], rec))
			rec = dh_record_joined(at[i], rec);
	bool placed = false;
	for (uint32_t i = 0; i < count; i++) {
		if (stands_for(rec, at[i], fine))
			continue;
		if (!placed && at[i] > rec) {
			to[n++] = rec;
			placed = true;
		}
		to[n++] = at[i];
	}
	if (!placed)
		to[n++] = rec;
	return n;
}

static uint32_t size_of(dh_record word)
{
	return dh_sets_is_set(word) ? dh_sets_get(word)->count : word != 0;
}

dh_record dh_sets_add(dh_record word, dh_record rec, bool fine, bool *fresh)
{
	dh_record few[FEW], *to = few;
	uint32_t room = size_of(word) + 1;
	if (room > FEW)
		to = dh_mem_alloc(room * sizeof *to);
	dh_record made = intern(to, added(word, rec, fine, to), rec, fresh);
	if (to != few)
		dh_mem_free(to, room * sizeof *to);
	return made;
}

static dh_record made_of(const dh_record *records, uint32_t count, bool *fresh)
{
	dh_record few[FEW], *to = few, newest = 0;
	if (count > FEW)
		to = dh_mem_alloc(count * sizeof *to);
	uint32_t n = 0;
	for (uint32_t i = 0; i < count; i++) {
		dh_record r = __atomic_load_n(&records[i], __ATOMIC_RELAXED);
		if (!r)
			continue;
		uint32_t k = n++;
		for (; k > 0 && to[k - 1] > r; k--)
			to[k] = to[k - 1];
		to[k] = newest = r;
	}
	dh_record made = intern(to, n, newest, fresh);
	if (to != few)
		dh_mem_free(to, count * sizeof *to);
	return made;
}

dh_record dh_sets_put(dh_record word, dh_record rec, bool *fresh)
{
	dh_record place, rest[8];
	uint32_t count, n = 0;
	const dh_record *at = dh_sets_items(word, &place, &count);
	uint64_t taken = (uint64_t)dh_record_mask(rec) << DH_ABSENT_SHIFT;
	for (uint32_t i = 0; i < count; i++)
		if (dh_record_joins(at[i], rec))
			rec = dh_record_joined(at[i], rec);
		else if (dh_record_mask(at[i] | taken))
			rest[n++] = at[i] | taken;
	dh_record made = rec;
	*fresh = false;
	if (n) {
		rest[n++] = rec;
		made = made_of(rest, n, fresh);
	}
	return made;
}

dh_record dh_sets_find(dh_record word, dh_record rec)
{
	dh_record few[FEW];
	if (size_of(word) + 1 > FEW)
		return 0;
	uint32_t count = added(word, rec, false, few);
	if (count < 2)
		return few[0];
	bool fresh;
	struct set *e = look_up(few, count, false, &fresh);
	return e ? dh_record_tag((uintptr_t)&e->set) : 0;
}

dh_record dh_sets_make(const dh_record *records, uint32_t count)
{
	bool fresh;
	return made_of(records, count, &fresh);
}

bool dh_sets_roomy(void)
{
	return __atomic_load_n(&bytes, __ATOMIC_RELAXED) < BYTES_ROOMY;
}

void dh_sets_get_stats(struct dh_sets_stats *s)
{
	s->sets = __atomic_load_n(&sets, __ATOMIC_RELAXED);
	s->bytes = __atomic_load_n(&bytes, __ATOMIC_RELAXED);
	s->forgotten = __atomic_load_n(&forgotten, __ATOMIC_RELAXED);
}
