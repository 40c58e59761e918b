/* SPDX-License-Identifier: MIT */
/*
 * Interned sets of records; see sets.h.
 *
 * Canonical form: sorted by value, and without their site where all have the same, so
 * that two ways to the same set give one. When the table has reached its limit, a word
 * keeps only the newest record and the rest is counted as forgotten: that can hide a
 * race, and the summary of the run says so.
 */
#include "runtime/sets.h"
#include "base/lock.h"
#include "base/mem.h"

enum {
	SHARDS = 64, /* shard_of() */
	WINDOW = 16, /* places that are looked at one after the other, */
	FIRST_LOOKS = 4, /* but so few of the first window */
	CHUNK = 1 << DH_SET_CHUNK_BITS, /* steps */
	FIRST_STEPS = 16,		/* that a shard takes */
	BYTES_LIMIT = 1 << 30,
	BYTES_ROOMY = 1 << 26,
};

/* With the hash, so that others are passed over, and the table grows, without a look at
 * the sets. */
struct place {
	dh_record word; /* without a site; 0: free */
	uint64_t hash;
};

char *dh_set_chunks[DH_SET_CHUNKS];

static struct shard {
	struct dh_lock lock;
	struct place *places; /* under lock, like the rest */
	size_t count; /* power of two */
	size_t len;
	uint64_t next; /* the number of the next set to come: they stay for good */
	size_t room;   /* steps that are left for them there */
} shards[SHARDS];

DH_LOCKS_AROUND_FORK(shards, &shards[0].lock, SHARDS, sizeof shards[0], DH_FORK_TABLES);

static uint64_t next_step = CHUNK; /* atomic: the number of the first that no shard has */
static uint64_t sets;		   /* atomic */
static uint64_t bytes;		   /* atomic */
static uint64_t forgotten;	   /* atomic */

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
	if (dh_sets_is_set(word))
		return dh_sets_get(word)->hash;
	return word ? hash_of(word) : 0;
}

/* The shard of a set, and which place it has there, come from different bits. */
static struct shard *shard_of(uint64_t hash)
{
	return &shards[hash >> 58];
}

/* Where a set may be: in a window of places that those with the same epochs have in
 * common, so that they are near each other; and where a few of that are taken in others, of
 * its own. Where thousands have the same epochs, the first is full for good. */
struct search {
	size_t window, at; /* where it is; and in which place of it, */
	unsigned left;	   /* with so many to be looked at before the next window */
};

static struct search search(const struct shard *s, uint64_t hash)
{
	return (struct search){(hash >> 32) & (s->count / WINDOW - 1), hash % WINDOW,
			       FIRST_LOOKS};
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
	while (place_of(s, &w)->word)
		next(s, e.hash, &w);
	*place_of(s, &w) = e;
}

static void grow(struct shard *s)
{
	enum { FIRST = 2 * WINDOW };
	size_t before = s->count;
	struct place *old = s->places;
	s->count = before ? before * 2 : FIRST;
	s->places = dh_mem_alloc(s->count * sizeof *s->places);
	for (size_t i = 0; i < before; i++)
		if (old[i].word)
			put(s, old[i]);
	dh_mem_free(old, before * sizeof *old);
}

/* Makes the chunk, if there is none yet. */
static void make_chunk(char **place)
{
	char *none = NULL;
	if (__atomic_load_n(place, __ATOMIC_ACQUIRE))
		return;
	char *chunk = dh_mem_alloc((size_t)CHUNK * DH_SET_STEP);
	if (!__atomic_compare_exchange_n(place, &none, chunk, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		dh_mem_free(chunk, (size_t)CHUNK * DH_SET_STEP);
}

/* Gives the shard so many steps, all in one chunk; false where there are none left. */
static bool take_steps(struct shard *s, size_t count)
{
	uint64_t from, at = __atomic_load_n(&next_step, __ATOMIC_RELAXED);
	do {
		from = at % CHUNK + count > CHUNK ? (at / CHUNK + 1) * CHUNK : at;
		if (from / CHUNK >= DH_SET_CHUNKS)
			return false;
	} while (!__atomic_compare_exchange_n(&next_step, &at, from + count, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	make_chunk(&dh_set_chunks[from / CHUNK]);
	s->next = from;
	s->room = count;
	return true;
}

/* The word of a set of that size to be, without a site; 0 where there is no room. A shard
 * takes about as much as it has, so that few sets do not use a page for each shard. */
static dh_record new_set(struct shard *s, size_t size)
{
	size = (size + DH_SET_STEP - 1) / DH_SET_STEP;
	size_t more = DH_MAX(size, DH_MAX(s->len, (size_t)FIRST_STEPS));
	if (size > CHUNK ||
	    (size > s->room && !take_steps(s, DH_MIN(more, (size_t)CHUNK))))
		return 0;
	dh_record word = dh_record_tag(s->next << DH_SITE_BITS);
	s->next += size;
	s->room -= size;
	return word;
}

static dh_record insert(struct shard *s, uint64_t hash, const dh_record *at,
			uint32_t count)
{
	size_t size = sizeof(struct dh_set) + count * sizeof *at;
	dh_record word = 0;
	if (__atomic_add_fetch(&bytes, size, __ATOMIC_RELAXED) > BYTES_LIMIT ||
	    !(word = new_set(s, size))) {
		__atomic_fetch_sub(&bytes, size, __ATOMIC_RELAXED);
		return 0;
	}
	if (s->len >= s->count / 4 * 3)
		grow(s);
	struct dh_set *e = (struct dh_set *)dh_sets_get(word);
	e->hash = hash;
	e->count = count;
	dh_copy(e->at, at, count * sizeof *at);
	put(s, (struct place){word, hash});
	s->len++;
	__atomic_fetch_add(&sets, 1, __ATOMIC_RELAXED);
	return word;
}

static dh_record find(const struct shard *s, uint64_t hash, const dh_record *at,
		      uint32_t count)
{
	if (!s->count)
		return 0;
	const struct place *p;
	for (struct search w = search(s, hash); (p = place_of(s, &w))->word;
	     next(s, hash, &w)) {
		if (p->hash != hash)
			continue;
		const struct dh_set *set = dh_sets_get(p->word);
		if (set->count == count && dh_same(set->at, at, count * sizeof *at))
			return p->word;
	}
	return 0;
}

/* Records on their way to a word: without the site, where it is not 0. */
struct draft {
	dh_record *at;
	uint32_t count;
	uint64_t hash;
	dh_record site;
};

/* Takes out the site that all of two or more have, where that has not been done. */
static void take_site(struct draft *d)
{
	const dh_record site = d->at[0] & DH_RECORD_SITE_MAX;
	if (d->site)
		return;
	for (uint32_t i = 1; i < d->count; i++)
		if (!dh_sets_common(d->at[i], site))
			return;
	for (uint32_t i = 0; i < d->count; i++)
		d->at[i] ^= site;
	d->hash = hash_of_all(d->at, d->count);
	d->site = site;
}

/* The word of two or more; 0 where there is none. *fresh: did it have to be made? */
static dh_record look_up(struct draft *d, bool make, bool *fresh)
{
	take_site(d);
	struct shard *s = shard_of(d->hash);
	dh_lock(&s->lock);
	dh_record word = find(s, d->hash, d->at, d->count);
	if ((*fresh = !word && make))
		word = insert(s, d->hash, d->at, d->count);
	dh_unlock(&s->lock);
	return word ? word | d->site : 0;
}

static dh_record intern(struct draft *d, dh_record newest, bool *fresh)
{
	*fresh = false;
	if (d->count < 2)
		return d->count ? d->at[0] | d->site : 0;
	dh_record word = look_up(d, true, fresh);
	if (DH_LIKELY(word != 0))
		return word;
	__atomic_fetch_add(&forgotten, d->count - 1, __ATOMIC_RELAXED);
	return newest;
}

/* ---- adding ---- */

enum { FEW = 32 };

/* Room for so many records, on the caller's stack where they are few; and back. */
static dh_record *room_for(uint32_t count, dh_record few[FEW])
{
	return count > FEW ? dh_mem_alloc(count * sizeof *few) : few;
}

static void give_back(dh_record *room, uint32_t count, const dh_record few[FEW])
{
	if (room != few)
		dh_mem_free(room, count * sizeof *room);
}

/* Does the newer record make the older superfluous? */
static bool stands_for(dh_record new, dh_record old, const uint32_t *vc, bool fine)
{
	bool before = vc && dh_record_clock(old) <= vc[dh_record_slot(old)];
	return (before || dh_record_own(old, new)) &&
	       dh_record_atomic(old) >= dh_record_atomic(new) &&
	       (fine || !dh_record_beyond(old, dh_record_mask(new)));
}

/* The records of the word with rec among them. d->at has room for them. mixed: the site
 * of those of the word, where rec has another. */
static void added(struct draft *d, dh_record word, dh_record rec, const uint32_t *vc,
		  bool fine)
{
	dh_record place, mixed = 0;
	uint32_t count, n = 0;
	d->site = dh_sets_common(word, rec);
	if (d->site) {
		word ^= dh_sets_is_set(word) ? 0 : d->site;
		rec ^= d->site;
	} else {
		mixed = dh_sets_site(word);
	}
	d->hash = hash_of_word(word);
	const dh_record *at = dh_sets_items(word, &place, &count);
	for (uint32_t i = 0; !fine && i < count; i++)
		if (dh_record_joins(at[i] | mixed, rec))
			rec = dh_record_joined(at[i] | mixed, rec);
	bool placed = false;
	for (uint32_t i = 0; i < count; i++) {
		const dh_record r = at[i] | mixed;
		if (stands_for(rec, r, vc, fine)) {
			d->hash = minus(d->hash, hash_of(at[i]));
			continue;
		}
		if (!placed && r > rec) {
			d->at[n++] = rec;
			placed = true;
		}
		d->at[n++] = r;
	}
	if (!placed)
		d->at[n++] = rec;
	d->count = n;
	d->hash = mixed ? hash_of_all(d->at, n) : plus(d->hash, hash_of(rec));
}

static uint32_t size_of(dh_record word)
{
	return dh_sets_is_set(word) ? dh_sets_get(word)->count : word != 0;
}

dh_record dh_sets_add(dh_record word, dh_record rec, const uint32_t *vc, bool fine,
		      bool *fresh)
{
	dh_record few[FEW];
	uint32_t room = size_of(word) + 1;
	struct draft d = {.at = room_for(room, few)};
	added(&d, word, rec, vc, fine);
	dh_record made = intern(&d, rec, fresh);
	give_back(d.at, room, few);
	return made;
}

static dh_record made_of(const dh_record *records, uint32_t count, bool *fresh)
{
	dh_record few[FEW], newest = 0;
	struct draft d = {.at = room_for(count, few)};
	for (uint32_t i = 0; i < count; i++) {
		dh_record r = __atomic_load_n(&records[i], __ATOMIC_RELAXED);
		if (!r)
			continue;
		uint32_t k = d.count++;
		for (; k > 0 && d.at[k - 1] > r; k--)
			d.at[k] = d.at[k - 1];
		d.at[k] = newest = r;
	}
	d.hash = hash_of_all(d.at, d.count);
	dh_record made = intern(&d, newest, fresh);
	give_back(d.at, count, few);
	return made;
}

dh_record dh_sets_put(dh_record word, dh_record rec, bool *fresh)
{
	dh_record place, few[FEW];
	uint32_t count, n = 0;
	const dh_record *at = dh_sets_items(word, &place, &count);
	const dh_record site = dh_sets_site(word);
	dh_record *rest = room_for(count + 1, few);
	uint64_t taken = (uint64_t)dh_record_mask(rec) << DH_ABSENT_SHIFT;
	for (uint32_t i = 0; i < count; i++)
		if (dh_record_joins(at[i] | site, rec))
			rec = dh_record_joined(at[i] | site, rec);
		else if (dh_record_mask(at[i] | taken))
			rest[n++] = at[i] | site | taken;
	dh_record made = rec;
	*fresh = false;
	if (n) {
		rest[n++] = rec;
		made = made_of(rest, n, fresh);
	}
	give_back(rest, count + 1, few);
	return made;
}

dh_record dh_sets_find(dh_record word, dh_record rec, const uint32_t *vc)
{
	dh_record few[FEW];
	struct draft d = {.at = few};
	bool fresh;
	if (size_of(word) + 1 > FEW)
		return 0;
	added(&d, word, rec, vc, false);
	return d.count < 2 ? few[0] | d.site : look_up(&d, false, &fresh);
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
