/* SPDX-License-Identifier: MIT */
/* See blend.h. Blends are kept once, in an array that does not move, found by a hash
 * table of their numbers, which is looked through without a lock. Where there are hundreds
 * of thousands, neither the table nor the blends are in a cache: beside each number the
 * table has some bits of the hash, so that no other blend is looked at but the one that is
 * looked for. */
#include "runtime/blend.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/stable.h"

enum {
	TABLE = DH_BLENDS_MAX * 2,
	NUMBER_BITS = __builtin_ctz(TABLE), /* in the table: number + 1, and the hash above */
	STEP_BITS = 17,
};

/* For each byte the site of the access that it is of. Bytes that no access has touched are as the
 * next one before them that one has, or as the first: which they are the record knows, and one
 * blend does for all that differ in these alone. Nor does it say which others the access has
 * touched: zstd had three times as many blends with that in it. */
struct blend {
	uint32_t site[DH_GRANULE];
};

uint64_t dh_no_blends[DH_BLEND_MEMO];

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_TABLES);
static struct dh_stable blends; /* of struct blend; filled before their number is known */
static uint32_t count;		/* atomic; written under lock */
static uint32_t *table; /* atomic, and so is each entry; written under lock */

/* What came of two records, for all threads: what the memo of one has forgotten, or another
 * has found out, is here without a look at the blends. */
static uint64_t *steps; /* atomic, and so is each; made with the table */

/* Where the key's would be; NULL: there are none yet. */
static uint64_t *step_of(uint64_t key)
{
	uint64_t *at = __atomic_load_n(&steps, __ATOMIC_ACQUIRE);
	return at ? &at[key >> (DH_BLEND_KEY_BITS - STEP_BITS)] : NULL;
}

/* Its number, or DH_BLENDS_MAX where that is not known. */
static uint32_t known_step(uint64_t key)
{
	const uint64_t *at = step_of(key);
	return at ? dh_blend_step(__atomic_load_n(at, __ATOMIC_ACQUIRE), key) : DH_BLENDS_MAX;
}

static void note_step(uint64_t key, uint32_t number)
{
	uint64_t *at = step_of(key);
	if (at)
		__atomic_store_n(at, dh_blend_word(key, number), __ATOMIC_RELEASE);
}

static uint32_t hash_of(const struct blend *b)
{
	uint64_t word, h = 0;
	for (size_t i = 0; i < sizeof *b; i += sizeof word) {
		__builtin_memcpy(&word, (const char *)b + i, sizeof word);
		h = (h ^ word) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	return (uint32_t)(h ^ h >> 32);
}

static const struct blend *blend_at(uint32_t number)
{
	return dh_stable_get(&blends, number, sizeof(struct blend));
}

static struct blend blend_of(dh_record r)
{
	const uint32_t site = dh_record_site(r);
	struct blend b;
	if (site >= DH_BLEND_FIRST)
		return *blend_at(site - DH_BLEND_FIRST);
	for (unsigned i = 0; i < DH_GRANULE; i++)
		b.site[i] = site;
	return b;
}

/* What rec says, and for bytes that it does not have, what old says. */
static struct blend mixed(dh_record old, dh_record rec)
{
	const unsigned mine = dh_record_mask(rec), have = mine | dh_record_mask(old);
	struct blend b = blend_of(old);
	for (unsigned i = 0; i < DH_GRANULE; i++)
		if (mine >> i & 1)
			b.site[i] = dh_record_site(rec);
	uint32_t last = b.site[__builtin_ctz(have)];
	for (unsigned i = 0; i < DH_GRANULE; i++)
		last = b.site[i] = have >> i & 1 ? b.site[i] : last;
	return b;
}

/* Its number, or DH_BLENDS_MAX where the table does not have it; *at: where it is, or
 * would be. */
static uint32_t find(uint32_t *const entries, const struct blend *b, uint32_t hash,
		     uint32_t *at)
{
	for (*at = hash % TABLE;; *at = (*at + 1) % TABLE) {
		uint32_t entry = __atomic_load_n(&entries[*at], __ATOMIC_ACQUIRE);
		if (!entry)
			return DH_BLENDS_MAX;
		uint32_t number = entry % TABLE - 1;
		if ((entry ^ hash) >> NUMBER_BITS == 0 &&
		    dh_same(blend_at(number), b, sizeof *b))
			return number;
	}
}

/* The same, and makes it where there is room. Under lock. */
static uint32_t find_or_make(const struct blend *b, uint32_t hash, bool *fresh)
{
	uint32_t at, number;
	if (!table) {
		__atomic_store_n(&steps, dh_mem_alloc(sizeof *steps << STEP_BITS),
				 __ATOMIC_RELEASE);
		__atomic_store_n(&table, dh_mem_alloc(TABLE * sizeof *table),
				 __ATOMIC_RELEASE);
	}
	number = find(table, b, hash, &at);
	if (number < DH_BLENDS_MAX || count == DH_BLENDS_MAX)
		return number;
	number = count;
	*(struct blend *)dh_stable_make(&blends, number, sizeof *b) = *b;
	__atomic_store_n(&table[at], (number + 1) | hash >> NUMBER_BITS << NUMBER_BITS,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&count, number + 1, __ATOMIC_RELEASE);
	*fresh = true;
	return number;
}

static uint32_t number_of(const struct blend *b, bool *fresh)
{
	uint32_t *entries = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	uint32_t hash = hash_of(b), at, number = DH_BLENDS_MAX;
	if (entries)
		number = find(entries, b, hash, &at);
	if (number == DH_BLENDS_MAX && dh_blend_count() < DH_BLENDS_MAX) {
		dh_lock(&lock);
		number = find_or_make(b, hash, fresh);
		dh_unlock(&lock);
	}
	return number;
}

static void note(struct dh_self *t, uint64_t key, uint32_t number)
{
	struct dh_thread_state *s = t->state;
	if (s->handler_count)
		return;
	if (s->blends == dh_no_blends)
		s->blends = dh_mem_alloc(DH_BLEND_MEMO * sizeof *s->blends);
	DH_STORE(dh_blend_memo_of(t, key), dh_blend_word(key, number));
}

dh_record dh_blend(struct dh_self *t, dh_record old, dh_record rec, bool *fresh)
{
	dh_record made = dh_blend_at_hand(t, old, rec);
	*fresh = false;
	if (made)
		return made;
	const uint64_t key = dh_blend_key(old, rec);
	uint32_t number = known_step(key);
	if (number == DH_BLENDS_MAX) {
		struct blend b = mixed(old, rec);
		number = number_of(&b, fresh);
		if (number == DH_BLENDS_MAX)
			return 0;
		note_step(key, number);
	}
	note(t, key, number);
	return dh_blended(old, rec, DH_BLEND_FIRST + number);
}

/* Bytes that the record has around one of them, from the same site. */
static unsigned run_around(const struct blend *b, unsigned has, unsigned byte)
{
	unsigned first = byte, end = byte + 1;
	while (first && has >> (first - 1) & 1 && b->site[first - 1] == b->site[byte])
		first--;
	while (end < DH_GRANULE && has >> end & 1 && b->site[end] == b->site[byte])
		end++;
	return ((1u << (end - first)) - 1) << first;
}

dh_record dh_blend_part(dh_record r, unsigned bytes)
{
	const uint32_t site = dh_record_site(r);
	const unsigned has = dh_record_mask(r), both = has & bytes;
	if (site < DH_BLEND_FIRST)
		return r;
	const unsigned byte = (unsigned)__builtin_ctz(both ? both : has);
	const struct blend *b = blend_at(site - DH_BLEND_FIRST);
	const dh_record one = (r & ~(uint64_t)DH_RECORD_SITE_MAX) | b->site[byte];
	return dh_record_without(one, ~run_around(b, has, byte) & DH_WHOLE);
}

uint32_t dh_blend_count(void)
{
	return __atomic_load_n(&count, __ATOMIC_RELAXED);
}
