/* SPDX-License-Identifier: MIT */
/*
 * A thread's diary: its last write and its last read of the places that it used most
 * recently, with when, where in the program and under which locks. When an object is
 * refined, its fields get their past from the diaries of all threads. So a race that
 * happens once is found, although the object kept only who had it.
 *
 * The diary is a direct-mapped table by address: where two places meet the older is
 * forgotten, and counted. Accesses to whole ranges (copies) are in a ring beside it. The
 * diary belongs to the thread's slot and stays when the thread ends
 * (slots.h): entries have clocks, which tell the owners of a slot apart.
 *
 * What was noted of memory that has begun a new life since does not count. Small pieces
 * of memory have a number of their life each, by a hash of the address, and an entry is
 * of the life that it was noted in: so to forget costs the same however many diaries
 * there are. Two pieces with the same hash forget together. For ranges, each line has
 * the number of the last one that was noted before a life in it began.
 *
 * Concurrency: written by the thread that has the slot; read by any, which may find an
 * entry torn and then takes it for none. A forgotten or torn entry loses evidence, never
 * makes any up.
 */
#ifndef DH_RUNTIME_RACETRACK_DIARY_H
#define DH_RUNTIME_RACETRACK_DIARY_H

#include "runtime/racetrack/rt.h"

/* Bytes of one granule that follow each other. */
struct dh_rt_entry {
	uintptr_t key;	       /* atomic: where it starts; 0: none */
	dh_record write, read; /* atomic: the last of each, or 0 */
	uint64_t locks; /* atomic: of the write, of the read (modes.h); and the life */
};
_Static_assert(sizeof(struct dh_rt_entry) == 32, "two to a cache line");

/* An access to a range, for each granule in it the record with a mask of all bytes. */
struct dh_rt_range {
	uintptr_t from, to; /* atomic: multiples of 8; to is 0 where there is none */
	dh_record rec;	    /* atomic */
	uint32_t locks;
	uint32_t number; /* of all ranges of the run, in the order of their beginnings */
	bool write;
};

enum { DH_RT_RANGES = 64, DH_RT_RANGE_LEAST = 256 };

/* A slot's ranges; they stay when its diary grows. */
struct dh_rt_ring {
	uint32_t head; /* written ever */
	/* In which lines they begin and end, as far as so many bits go: most are asked
	 * for what none of them touches. */
	_Alignas(DH_CACHE_LINE) int32_t first[DH_RT_RANGES], last[DH_RT_RANGES];
	struct dh_rt_range at[DH_RT_RANGES];
};

/* Of which lines a diary has places, by a hash: a bit is set for each that is noted. What
 * was forgotten since stays, until so many were noted; then another one is made of what
 * there is. */
enum { DH_RT_SIEVE_BITS = 1 << 16, DH_RT_SIEVE_NOTES = 1 << 15 };
struct dh_rt_sieve {
	uint64_t bits[DH_RT_SIEVE_BITS / 64]; /* atomic */
};

struct dh_rt_diary {
	struct dh_rt_ring *ring;   /* atomic; NULL: none so far */
	struct dh_rt_sieve *sieve; /* atomic: one of two */
	uint32_t mask;		   /* atomic: entries - 1 */
	bool odd;   /* atomic: it has, or had, places at offsets other than 0 and 4 */
	bool asked; /* atomic: its sieve was, since that was made */
	/* In a line of its own, as others look at what is above: */
	_Alignas(DH_CACHE_LINE) uint32_t fresh; /* entries taken since the table grew, */
	uint32_t most; /* and how many there may be before it grows again */
	uint32_t
	    sieved; /* entries taken since it was asked whether the sieve is wanted */
	_Alignas(DH_CACHE_LINE) struct dh_rt_entry at[];
};

/* The numbers of lives. */
enum { DH_RT_LIFE_PIECE = 16, DH_RT_LIVES = 1 << 16, DH_RT_LIFE_BITS = 16 };
extern uint16_t dh_rt_lives[DH_RT_LIVES]; /* atomic */

DH_INLINE uint32_t dh_rt_piece_of(uintptr_t addr)
{
	uintptr_t n = addr / DH_RT_LIFE_PIECE;
	return (uint32_t)(n ^ n >> 16) % DH_RT_LIVES;
}

DH_INLINE uint16_t *dh_rt_life_of(uintptr_t addr)
{
	return &dh_rt_lives[dh_rt_piece_of(addr)];
}

/* The locks of an entry: of its write in the upper bits, of its read, and the life. */
enum { DH_RT_ENTRY_READ = DH_RT_LIFE_BITS, DH_RT_ENTRY_WRITE = 40 };
_Static_assert(DH_RT_INFO_BITS == 24, "so many bits for locks");

DH_INLINE uint32_t dh_rt_entry_locks(uint64_t locks, bool write)
{
	return (uint32_t)(locks >> (write ? DH_RT_ENTRY_WRITE : DH_RT_ENTRY_READ)) &
	       DH_RT_INFO_MAX;
}

/* Whole granules and parts of them have places of their own; those of one granule's parts
 * are side by side. */
DH_INLINE uintptr_t dh_rt_entry_number(uintptr_t start, bool whole)
{
	uintptr_t at = start >> 3;
	return whole ? at : at * 9 + (start & 7) + 0x2f5;
}

DH_INLINE struct dh_rt_entry *dh_rt_entry_of(struct dh_rt_diary *d, uintptr_t start,
					     bool whole)
{
	return &d->at[dh_rt_entry_number(start, whole) &
		      __atomic_load_n(&d->mask, __ATOMIC_RELAXED)];
}

DH_INLINE uint64_t dh_rt_sieve_bit(uintptr_t addr, size_t *word)
{
	const uintptr_t line = addr >> DH_LINE_BITS,
			bit = (line ^ line >> 16) % DH_RT_SIEVE_BITS;
	*word = bit / 64;
	return (uint64_t)1 << bit % 64;
}

DH_INLINE void dh_rt_sieve_note(struct dh_rt_sieve *s, uintptr_t addr)
{
	size_t word;
	const uint64_t bit = dh_rt_sieve_bit(addr, &word);
	const uint64_t old = __atomic_load_n(&s->bits[word], __ATOMIC_RELAXED);
	if (!(old & bit))
		__atomic_store_n(&s->bits[word], old | bit, __ATOMIC_RELAXED);
}

/* May the diary have places in the line of addr? */
DH_INLINE bool dh_rt_sieve_has(struct dh_rt_diary *d, uintptr_t addr)
{
	if (DH_UNLIKELY(!__atomic_load_n(&d->asked, __ATOMIC_RELAXED)))
		__atomic_store_n(&d->asked, true, __ATOMIC_RELAXED);
	size_t word;
	const uint64_t bit = dh_rt_sieve_bit(addr, &word);
	const struct dh_rt_sieve *s = __atomic_load_n(&d->sieve, __ATOMIC_ACQUIRE);
	return __atomic_load_n(&s->bits[word], __ATOMIC_RELAXED) & bit;
}

/* Makes another sieve of the entries, if this one was asked. */
void dh_rt_diary_sieve(struct dh_rt_diary *d);

/* The diary of a slot; NULL where there is none. */
struct dh_rt_diary *dh_rt_diary_of(uint32_t slot);

/* The thread's slot has changed: its diary is that of the new one. */
void dh_rt_diary_take(struct dh_rt_thread *me, uint32_t slot);

/* Makes the diary larger, where it is. */
void dh_rt_diary_grow(struct dh_rt_thread *me);

/* There may be places at any offset from now on: before one is noted. */
DH_INLINE void dh_rt_diary_be_odd(struct dh_rt_diary *d)
{
	__atomic_store_n(&d->odd, true, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Notes an access at e, which is the place for it: where that is of another place, `old`
 * or none (life is the present one; not where the diary has to grow); where it is not;
 * and in either case. */
DH_INLINE void dh_rt_diary_renew(struct dh_rt_thread *me, struct dh_rt_entry *e,
				 uintptr_t old, uintptr_t start, bool write,
				 dh_record rec, uint16_t life)
{
	me->counts[DH_RT_FORGOTTEN] += old != 0;
	me->diary->fresh++;
	if (DH_UNLIKELY(++me->diary->sieved > DH_RT_SIEVE_NOTES))
		dh_rt_diary_sieve(me->diary);
	dh_rt_sieve_note(me->diary->sieve, start);
	__atomic_store_n(&e->key, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* stores stay in order */
	__atomic_store_n(&e->write, write ? rec : 0, __ATOMIC_RELAXED);
	__atomic_store_n(&e->read, write ? 0 : rec, __ATOMIC_RELAXED);
	__atomic_store_n(&e->locks, me->noted[write] | life, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&e->key, start, __ATOMIC_RELAXED);
}

/* Is it time for a larger one, before the entry of another place is renewed? */
DH_INLINE bool dh_rt_diary_is_tight(const struct dh_rt_diary *d, uintptr_t old)
{
	return DH_UNLIKELY(d->fresh > d->most) && old;
}

/* The locks are last: with the number of the present life they tell that the rest is of
 * it. */
DH_INLINE void dh_rt_diary_put(const struct dh_rt_thread *me, struct dh_rt_entry *e,
			       bool write, dh_record rec, uint16_t life)
{
	dh_record *place = write ? &e->write : &e->read;
	unsigned shift = write ? DH_RT_ENTRY_WRITE : DH_RT_ENTRY_READ;
	uint64_t locks = __atomic_load_n(&e->locks, __ATOMIC_RELAXED);
	if (DH_LIKELY((uint16_t)locks == life)) {
		dh_record old = __atomic_load_n(place, __ATOMIC_RELAXED);
		/* Of two in one time frame, from the same byte on, the longer stands for
		 * both. */
		const uint64_t same = ~(uint64_t)0 << DH_ATOMIC_SHIFT;
		if (DH_UNLIKELY(!((old ^ rec) & (same | (old & DH_ABSENT_FIELD)))))
			return;
		locks &= ~((uint64_t)DH_RT_INFO_MAX << shift);
	} else {
		__atomic_store_n(write ? &e->read : &e->write, 0, __ATOMIC_RELAXED);
		locks = life;
	}
	__atomic_store_n(place, rec, __ATOMIC_RELAXED);
	__atomic_store_n(&e->locks, locks | me->noted[write], __ATOMIC_RELEASE);
}

DH_INLINE void dh_rt_diary_note(struct dh_rt_thread *me, struct dh_rt_entry *e,
				uintptr_t start, bool write, dh_record rec)
{
	uint16_t life = __atomic_load_n(dh_rt_life_of(start), __ATOMIC_RELAXED);
	uintptr_t old = __atomic_load_n(&e->key, __ATOMIC_RELAXED);
	if (DH_LIKELY(old == start)) {
		dh_rt_diary_put(me, e, write, rec, life);
		return;
	}
	if (dh_rt_diary_is_tight(me->diary, old)) {
		dh_rt_diary_grow(me);
		e = dh_rt_entry_of(me->diary, start, dh_record_mask(rec) == DH_WHOLE);
		old = __atomic_load_n(&e->key, __ATOMIC_RELAXED);
	}
	if (start & 3)
		dh_rt_diary_be_odd(me->diary);
	dh_rt_diary_renew(me, e, old, start, write, rec, life);
}

/* Notes an access to [from, to), at least DH_RT_RANGE_LEAST bytes of whole granules. */
void dh_rt_diary_range(struct dh_rt_thread *me, uintptr_t from, uintptr_t to, bool write,
		       dh_record rec);

/* An access that is in a diary. */
struct dh_rt_past {
	dh_record rec;
	uint32_t locks; /* modes.h */
	bool write;
	bool range; /* one of many granules */
};

/* The ranges in the diary of a slot that touch [from, to): a bit for each. */
uint64_t dh_rt_diary_ranges(uint32_t slot, uintptr_t from, uintptr_t to);
#define DH_RT_ALL_RANGES (~(uint64_t)0)
_Static_assert(DH_RT_RANGES == 64, "a bit for each");

/* May the diary of a slot have places in [from, to), which are multiples of 8 and no more
 * than a line? Most have none, and to find that out takes less than to look for each. */
bool dh_rt_diary_may_have(uint32_t slot, uintptr_t from, uintptr_t to);

/* Calls f for all accesses to a granule that the diary of a slot has, of ranges these. */
typedef void dh_rt_told(const struct dh_rt_past *p, void *with);
void dh_rt_diary_each(uint32_t slot, uint64_t ranges, uintptr_t granule, dh_rt_told *f,
		      void *with);

/* A new life begins for [from, to): no diary has anything of it. */
void dh_rt_diaries_forget(uintptr_t from, uintptr_t to);

#endif
