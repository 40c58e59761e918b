/* SPDX-License-Identifier: MIT */
/* See blend.h. Blends are kept once, in an array that does not move, found by a hash
 * table of their numbers. */
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
static uint32_t *table;		/* numbers + 1; under lock */

static uint32_t hash_of(const struct blend *b)
{
	uint64_t h = 0;
	for (unsigned i = 0; i < DH_GRANULE; i++)
		h = dh_mix(h ^ ((uint64_t)b->site[i] << 8 | b->extent[i]));
	return (uint32_t)(h ^ h >> 32);
}

/* What old says, and for bytes that it does not have, what rec says. */
static struct blend mixed(dh_record old, dh_record rec)
{
	struct blend b = {0};
	uint32_t site = dh_record_site(old);
	if (site >= DH_BLEND_FIRST)
		b = *(struct blend *)dh_stable_get(&blends, site - DH_BLEND_FIRST,
						   sizeof b);
	for (unsigned i = 0; i < DH_GRANULE; i++) {
		const dh_record from = dh_record_mask(old) >> i & 1 ? old : rec;
		if (from == old && site >= DH_BLEND_FIRST)
			continue;
		bool in = dh_record_mask(from) >> i & 1;
		b.site[i] = in ? dh_record_site(from) : 0;
		b.extent[i] = in ? (uint8_t)dh_record_mask(from) : 0;
	}
	return b;
}

/* Its number; DH_BLENDS_MAX where there is no room for it. */
static uint32_t number_of(const struct blend *b)
{
	uint32_t at = hash_of(b) % TABLE;
	if (!table)
		table = dh_mem_alloc(TABLE * sizeof *table);
	for (; table[at]; at = (at + 1) % TABLE)
		if (dh_same(dh_stable_get(&blends, table[at] - 1, sizeof *b), b,
			    sizeof *b))
			return table[at] - 1;
	if (count == DH_BLENDS_MAX)
		return count;
	*(struct blend *)dh_stable_make(&blends, count, sizeof *b) = *b;
	table[at] = count + 1;
	__atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
	return count - 1;
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
	dh_lock(&lock);
	uint32_t number = number_of(&b);
	dh_unlock(&lock);
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
	const struct blend *b =
	    dh_stable_get(&blends, site - DH_BLEND_FIRST, sizeof *b);
	unsigned has = dh_record_mask(r), both = has & bytes;
	unsigned i = (unsigned)__builtin_ctz(both ? both : has);
	return dh_record_make(r & ~(uint64_t)0 << DH_CLOCK_SHIFT, b->extent[i],
			      dh_record_atomic(r), b->site[i]);
}

uint32_t dh_blend_count(void)
{
	return __atomic_load_n(&count, __ATOMIC_RELAXED);
}
