/* SPDX-License-Identifier: MIT */
/* See blend.h. Blends are kept once, in an array that does not move, found by a hash
 * table of their numbers, which is looked through without a lock. */
#include "runtime/blend.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/stable.h"

enum { TABLE = DH_BLENDS_MAX * 2 };

struct blend {
	uint32_t site[DH_GRANULE];  /* 0: the byte is not in it */
	uint8_t extent[DH_GRANULE]; /* the bytes of the access that the byte is of */
};

struct dh_blend_memo dh_no_blends[DH_BLEND_MEMO];

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_TABLES);
static struct dh_stable blends; /* of struct blend; filled before their number is known */
static uint32_t count;		/* atomic; written under lock */
static uint32_t *table; /* numbers + 1; atomic, and so is each; written under lock */

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

/* What rec says, and for bytes that it does not have, what old says. */
static struct blend mixed(dh_record old, dh_record rec)
{
	struct blend b = {0};
	uint32_t site = dh_record_site(old);
	if (site >= DH_BLEND_FIRST)
		b = *(struct blend *)dh_stable_get(&blends, site - DH_BLEND_FIRST,
						   sizeof b);
	for (unsigned i = 0; i < DH_GRANULE; i++) {
		const dh_record from = dh_record_mask(rec) >> i & 1 ? rec : old;
		if (from == old && site >= DH_BLEND_FIRST)
			continue;
		bool in = dh_record_mask(from) >> i & 1;
		b.site[i] = in ? dh_record_site(from) : 0;
		b.extent[i] = in ? (uint8_t)dh_record_mask(from) : 0;
	}
	return b;
}

/* Its number, or DH_BLENDS_MAX where the table does not have it; *at: where it is, or
 * would be. */
static uint32_t find(uint32_t *const numbers, const struct blend *b, uint32_t *at)
{
	for (;; *at = (*at + 1) % TABLE) {
		uint32_t number = __atomic_load_n(&numbers[*at], __ATOMIC_ACQUIRE);
		if (!number)
			return DH_BLENDS_MAX;
		if (dh_same(dh_stable_get(&blends, number - 1, sizeof *b), b, sizeof *b))
			return number - 1;
	}
}

/* The same, and makes it where there is room. Under lock. */
static uint32_t find_or_make(const struct blend *b, uint32_t at)
{
	if (!table)
		__atomic_store_n(&table, dh_mem_alloc(TABLE * sizeof *table),
				 __ATOMIC_RELEASE);
	uint32_t number = find(table, b, &at);
	if (number < DH_BLENDS_MAX || count == DH_BLENDS_MAX)
		return number;
	number = count;
	*(struct blend *)dh_stable_make(&blends, number, sizeof *b) = *b;
	__atomic_store_n(&table[at], number + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&count, number + 1, __ATOMIC_RELEASE);
	return number;
}

static uint32_t number_of(const struct blend *b)
{
	uint32_t *numbers = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	uint32_t at = hash_of(b) % TABLE, number = DH_BLENDS_MAX;
	if (numbers)
		number = find(numbers, b, &at);
	if (number == DH_BLENDS_MAX && dh_blend_count() < DH_BLENDS_MAX) {
		dh_lock(&lock);
		number = find_or_make(b, at);
		dh_unlock(&lock);
	}
	return number;
}

static void note(struct dh_self *t, uint64_t key, uint32_t site)
{
	struct dh_thread_state *s = t->state;
	if (s->handler_count)
		return;
	if (s->blends == dh_no_blends)
		s->blends = dh_mem_alloc(DH_BLEND_MEMO * sizeof *s->blends);
	struct dh_blend_memo *m = dh_blend_memo_of(t, key);
	m->key = 0; /* a signal handler may look in between */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	m->site = site;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	m->key = key;
}

dh_record dh_blend(struct dh_self *t, dh_record old, dh_record rec)
{
	dh_record made = dh_blend_at_hand(t, old, rec);
	if (made)
		return made;
	struct blend b = mixed(old, rec);
	uint32_t number = number_of(&b);
	if (number == DH_BLENDS_MAX)
		return 0;
	note(t, dh_blend_key(old, rec), DH_BLEND_FIRST + number);
	return (old & rec & ~(uint64_t)DH_RECORD_SITE_MAX) | (DH_BLEND_FIRST + number);
}

dh_record dh_blend_part(dh_record r, unsigned bytes)
{
	uint32_t site = dh_record_site(r);
	if (site < DH_BLEND_FIRST)
		return r;
	const struct blend *b = dh_stable_get(&blends, site - DH_BLEND_FIRST, sizeof *b);
	unsigned has = dh_record_mask(r), both = has & bytes;
	unsigned i = (unsigned)__builtin_ctz(both ? both : has);
	return dh_record_make(r & ~(uint64_t)0 << DH_CLOCK_SHIFT, b->extent[i],
			      dh_record_atomic(r), b->site[i]);
}

uint32_t dh_blend_count(void)
{
	return __atomic_load_n(&count, __ATOMIC_RELAXED);
}
