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
	SHARDS = 64, /* shard_of() */
	WINDOW = 16, /* places that are looked at one after the other */
	BYTES_LIMIT = 1 << 30,
	BYTES_ROOMY = 1 << 26,
};

struct set {
	uint64_t hash;
	struct dh_set set; /* last: it ends with its records */
};

/* With the hash, so that others are passed over, and the table grows, without a look at
 * the sets. */
struct place {
	struct set *set; /* NULL: free */
	uint64_t hash;
};

static struct shard {
	struct dh_lock lock;
	struct place *places; /* under lock, like the rest */
	size_t count; /* power of two */
	size_t len;
	char *room; /* for sets to come: they stay for good */
	size_t room_size;
} shards[SHARDS];

DH_LOCKS_AROUND_FORK(shards, &shards[0].lock, SHARDS, sizeof shards[0], DH_FORK_TABLES);

static uint64_t sets;	   /* atomic */
static uint64_t bytes;	   /* atomic */
static uint64_t forgotten; /* atomic */

/* ---- hashing ---- */

#define WHEN_FIELD ((uint64_t)UINT32_MAX << 32)

static uint64_t mix(uint64_t v)
{
	v *= 0x9e3779b97f4a7c15ull;
	return (v ^ v >> 32) * 0xd6e8feb86659fd93ull;
}

/* That of a set is the sum of these, of either half by itself, so that adding a record is
 * one step. The upper half is of epochs alone: where the compiler has unrolled a loop, the
 * cells of an array have sets that differ in nothing but places of the program, and these
 * are made, and looked for, at about the same time. */
static uint64_t hash_of(dh_record r)
{
	uint64_t when = mix(r >> DH_CLOCK_SHIFT), all = mix(r);
	return (when & WHEN_FIELD) | all >> 32;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return ((a & WHEN_FIELD) + (b & WHEN_FIELD)) | (uint32_t)(a + b);
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return ((a & WHEN_FIELD) - (b & WHEN_FIELD)) | (uint32_t)(a - b);
}

static uint64_t hash_of_all(const dh_record *at, uint32_t count)
{
	uint64_t h = 0;
	for (uint32_t i = 0; i < count; i++)
		h = plus(h, hash_of(at[i]));
	return h;
}

static uint64_t hash_of_word(dh_record word)
{
	if (!dh_sets_is_set(word))
		return word ? hash_of(word) : 0;
	const char *set = (const char *)dh_sets_get(word) - offsetof(struct set, set);
	return ((const struct set *)(const void *)set)->hash;
}

/* The shard of a set, and which place it has there, come from different bits. */
static struct shard *shard_of(uint64_t hash)
{
	return &shards[hash >> 58];
}

/* Where a set may be: in a window of places that those with the same epochs have in
 * common, so that they are near each other; and where that is full in others, of its own.
 */
struct search {
	size_t window, at; /* where it is; and in which place of it, */
	unsigned left;	   /* with so many to be looked at before the next window */
};

static struct search search(const struct shard *s, uint64_t hash)
{
	return (struct search){(hash >> 32) & (s->count / WINDOW - 1), hash % WINDOW,
			       WINDOW};
}

static struct place *place_of(const struct shard *s, const struct search *w)
{
	return &s->places[w->window * WINDOW + w->at];
}

static void next(const struct shard *s, uint64_t hash, struct search *w)
{
	w->at = (w->at + 1) % WINDOW;
	if (--w->left)
		return;
	w->window = (w->window + (hash / WINDOW * 2 + 1)) & (s->count / WINDOW - 1);
	w->left = WINDOW;
}

/* ---- interning ---- */

static void put(struct shard *s, struct place e)
{
	struct search w = search(s, e.hash);
	while (place_of(s, &w)->set)
		next(s, e.hash, &w);
	*place_of(s, &w) = e;
}

static void grow(struct shard *s)
{
	enum { FIRST = 128 };
	size_t before = s->count;
	struct place *old = s->places;
	s->count = before ? before * 2 : FIRST;
	s->places = dh_mem_alloc(s->count * sizeof *s->places);
	for (size_t i = 0; i < before; i++)
		if (old[i].set)
			put(s, old[i]);
	dh_mem_free(old, before * sizeof *old);
}

static struct set *new_set(struct shard *s, size_t size)
{
	enum { ROOM = 4096 };
	if (size > s->room_size) {
		if (size > ROOM / 4)
			return dh_mem_alloc(size);
		s->room = dh_mem_alloc(s->room_size = ROOM);
	}
	struct set *e = (struct set *)(void *)s->room;
	s->room += size;
	s->room_size -= size;
	return e;
}

static struct set *insert(struct shard *s, uint64_t hash, const dh_record *at,
			  uint32_t count)
{
	size_t size = sizeof(struct set) + count * sizeof *at;
	if (__atomic_add_fetch(&bytes, size, __ATOMIC_RELAXED) > BYTES_LIMIT) {
		__atomic_fetch_sub(&bytes, size, __ATOMIC_RELAXED);
		return NULL;
	}
	if (s->len >= s->count / 4 * 3)
		grow(s);
	struct set *e = new_set(s, size);
	e->hash = hash;
	e->set.count = count;
	dh_copy(e->set.at, at, count * sizeof *at);
	put(s, (struct place){e, hash});
	s->len++;
	__atomic_fetch_add(&sets, 1, __ATOMIC_RELAXED);
	return e;
}

static struct set *find(const struct shard *s, uint64_t hash, const dh_record *at,
			uint32_t count)
{
	if (!s->count)
		return NULL;
	const struct place *p;
	for (struct search w = search(s, hash); (p = place_of(s, &w))->set;
	     next(s, hash, &w)) {
		const struct dh_set *set = &p->set->set;
		if (p->hash == hash && set->count == count &&
		    dh_same(set->at, at, count * sizeof *at))
			return p->set;
	}
	return NULL;
}

/* *fresh: did it have to be made? */
static struct set *look_up(const dh_record *at, uint32_t count, uint64_t hash, bool make,
			   bool *fresh)
{
	struct shard *s = shard_of(hash);
	dh_lock(&s->lock);
	struct set *e = find(s, hash, at, count);
	if ((*fresh = !e && make))
		e = insert(s, hash, at, count);
	dh_unlock(&s->lock);
	return e;
}

static dh_record intern(const dh_record *at, uint32_t count, uint64_t hash,
			dh_record newest, bool *fresh)
{
	*fresh = false;
	if (count < 2)
		return count ? at[0] : 0;
	struct set *e = look_up(at, count, hash, true, fresh);
	if (DH_LIKELY(e != NULL))
		return dh_record_tag((uintptr_t)&e->set);
	__atomic_fetch_add(&forgotten, count - 1, __ATOMIC_RELAXED);
	return newest;
}

/* ---- adding ---- */

enum { FEW = 32 };

/* Does the newer record make the older superfluous? */
static bool stands_for(dh_record new, dh_record old, const uint32_t *vc, bool fine)
{
	bool before = vc && dh_record_clock(old) <= vc[dh_record_slot(old)];
	return (before || dh_record_own(old, new)) &&
	       dh_record_atomic(old) >= dh_record_atomic(new) &&
	       (fine || !dh_record_beyond(old, dh_record_mask(new)));
}

/* Writes the records of the word with rec among them to `to`; returns how many, and their
 * hash. */
static uint32_t added(dh_record word, dh_record rec, const uint32_t *vc, bool fine,
		      dh_record *to, uint64_t *hash)
{
	dh_record place;
	uint32_t count, n = 0;
	*hash = hash_of_word(word);
	const dh_record *at = dh_sets_items(word, &place, &count);
	for (uint32_t i = 0; !fine && i < count; i++)
		if (dh_record_joins(at[i], rec))
			rec = dh_record_joined(at[i], rec);
	bool placed = false;
	for (uint32_t i = 0; i < count; i++) {
		if (stands_for(rec, at[i], vc, fine)) {
			*hash = minus(*hash, hash_of(at[i]));
			continue;
		}
		if (!placed && at[i] > rec) {
			to[n++] = rec;
			placed = true;
		}
		to[n++] = at[i];
	}
	if (!placed)
		to[n++] = rec;
	*hash = plus(*hash, hash_of(rec));
	return n;
}

static uint32_t size_of(dh_record word)
{
	return dh_sets_is_set(word) ? dh_sets_get(word)->count : word != 0;
}

dh_record dh_sets_add(dh_record word, dh_record rec, const uint32_t *vc, bool fine,
		      bool *fresh)
{
	dh_record few[FEW], *to = few;
	uint32_t room = size_of(word) + 1;
	if (room > FEW)
		to = dh_mem_alloc(room * sizeof *to);
	uint64_t hash;
	uint32_t count = added(word, rec, vc, fine, to, &hash);
	dh_record made = intern(to, count, hash, rec, fresh);
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
	dh_record made = intern(to, n, hash_of_all(to, n), newest, fresh);
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

dh_record dh_sets_find(dh_record word, dh_record rec, const uint32_t *vc)
{
	dh_record few[FEW];
	if (size_of(word) + 1 > FEW)
		return 0;
	uint64_t hash;
	uint32_t count = added(word, rec, vc, false, few, &hash);
	if (count < 2)
		return few[0];
	bool fresh;
	struct set *e = look_up(few, count, hash, false, &fresh);
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
