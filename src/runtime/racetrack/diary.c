/* SPDX-License-Identifier: MIT */
/* See diary.h. */
#include "runtime/racetrack/diary.h"
#include "base/mem.h"
#include "runtime/access.h"
#include "runtime/racetrack/held.h"

enum {
	FIRST = 512,
	MOST = 8192,
	LINES = DH_RT_LIVES * DH_RT_LIFE_PIECE >> DH_LINE_BITS, /* as far as lives go */
};

uint16_t dh_rt_lives[DH_RT_LIVES];
static uint32_t born_after[LINES];	      /* atomic: numbers of ranges */
static uint32_t numbers;		      /* atomic: how many there were */
static struct dh_rt_diary *diaries[DH_SLOTS]; /* atomic */

struct dh_rt_diary *dh_rt_diary_of(uint32_t slot)
{
	return __atomic_load_n(&diaries[slot], __ATOMIC_ACQUIRE);
}

/* Has so many entries from now on. */
static void set_count(struct dh_rt_diary *d, uint32_t count)
{
	d->most = count < MOST ? count / 2 : UINT32_MAX;
	d->fresh = 0;
	__atomic_store_n(&d->mask, count - 1, __ATOMIC_RELEASE);
}

/* Its sieves are behind the entries. */
static struct dh_rt_sieve *sieves_of(struct dh_rt_diary *d)
{
	return (struct dh_rt_sieve *)&d->at[MOST];
}

/* With addresses for as many as it may ever have. */
static struct dh_rt_diary *make(void)
{
	struct dh_rt_diary *d =
	    dh_mem_alloc(sizeof *d + MOST * sizeof *d->at + 2 * sizeof *d->sieve);
	d->sieve = sieves_of(d);
	dh_rt_use_pages(d->at, FIRST * sizeof *d->at);
	set_count(d, FIRST);
	return d;
}

void dh_rt_diary_take(struct dh_rt_thread *me, uint32_t slot)
{
	struct dh_rt_diary *d = dh_rt_diary_of(slot);
	if (!d) {
		d = make();
		__atomic_store_n(&diaries[slot], d, __ATOMIC_RELEASE);
	}
	dh_rt_held_move(me, slot);
	me->diary = d;
	me->slot = slot;
	me->sealed = 0; /* what clocks of another slot were says nothing */
	me->compared = false;
}

/* ---- writing ---- */

/* Its place where there are twice as many. */
static uint32_t next_place(const struct dh_rt_entry *e, uint32_t count)
{
	bool whole = dh_record_mask(e->write ? e->write : e->read) == DH_WHOLE;
	return dh_rt_entry_number(e->key, whole) & (2 * count - 1);
}

/* What has another place in the larger diary is there before that is known, and leaves
 * the old one after: who is just reading finds it. */
DH_COLD void dh_rt_diary_grow(struct dh_rt_thread *me)
{
	struct dh_rt_diary *d = me->diary;
	uint32_t count = d->mask + 1;
	dh_rt_use_pages(&d->at[count], count * sizeof *d->at);
	for (uint32_t i = 0; i < count; i++)
		if (d->at[i].key)
			d->at[next_place(&d->at[i], count)] = d->at[i];
	set_count(d, 2 * count);
	me->near[0].granule = me->near[1].granule = 0;
	for (uint32_t i = 0; i < count; i++)
		if (d->at[i].key && next_place(&d->at[i], count) != i)
			DH_STORE(&d->at[i].key, 0);
}

DH_COLD void dh_rt_diary_sieve(struct dh_rt_diary *d)
{
	struct dh_rt_sieve *next = sieves_of(d);
	d->sieved = 0;
	if (!DH_LOAD(&d->asked))
		return;
	DH_STORE(&d->asked, false);
	if (next == d->sieve)
		next++;
	for (size_t i = 0; i < DH_ARRAY_LEN(next->bits); i++)
		DH_STORE(&next->bits[i], 0);
	for (uint32_t i = 0; i <= d->mask; i++)
		if (d->at[i].key)
			dh_rt_sieve_note(next, d->at[i].key);
	__atomic_store_n(&d->sieve, next, __ATOMIC_RELEASE);
}

/* The number of a line, less what does not fit. */
static int32_t short_line(uintptr_t addr)
{
	return (int32_t)(addr >> DH_LINE_BITS & INT32_MAX);
}

/* As far as that goes: of one that begins and ends in different terabytes, or whatever
 * these bits count, it is not known. */
static void note_lines(struct dh_rt_ring *ring, uint32_t i, uintptr_t from, uintptr_t to)
{
	const int32_t first = short_line(from), last = short_line(to - 1);
	ring->first[i] = first <= last ? first : 0;
	ring->last[i] = first <= last ? last : INT32_MAX;
}

void dh_rt_diary_range(struct dh_rt_thread *me, uintptr_t from, uintptr_t to, bool write,
		       dh_record rec)
{
	struct dh_rt_ring *ring = me->diary->ring;
	if (!ring) {
		ring = dh_mem_alloc(sizeof *ring);
		__atomic_store_n(&me->diary->ring, ring, __ATOMIC_RELEASE);
	}
	const uint32_t i = ring->head++ % DH_RT_RANGES;
	struct dh_rt_range *r = &ring->at[i];
	me->counts[DH_RT_FORGOTTEN] += DH_LOAD(&r->to) != 0;
	DH_STORE(&r->to, 0);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	note_lines(ring, i, from, to);
	DH_STORE(&r->from, from);
	DH_STORE(&r->rec, rec);
	r->locks = me->with;
	r->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
	r->write = write;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	DH_STORE(&r->to, to);
}

/* ---- reading ---- */

/* The number of the last range that was noted before the line of addr began a life. */
static uint32_t *born_of(uintptr_t addr)
{
	uintptr_t n = addr >> DH_LINE_BITS;
	return &born_after[(n ^ n / LINES) % LINES];
}

static const struct dh_rt_ring *ring_of(uint32_t slot)
{
	const struct dh_rt_diary *d = dh_rt_diary_of(slot);
	return d ? __atomic_load_n(&d->ring, __ATOMIC_ACQUIRE) : NULL;
}

/* Do some of the ranges touch the lines of [from, to), few bytes? Several at a time. */
static bool any_near(const struct dh_rt_ring *ring, uintptr_t from, uintptr_t to)
{
	enum { AT_ONCE = 4 };
	typedef int32_t lines
	    __attribute__((vector_size(AT_ONCE * sizeof(int32_t)), may_alias));
	typedef uint64_t halves __attribute__((vector_size(sizeof(lines))));
	const int32_t low = short_line(from), high = short_line(to - 1);
	const lines *first = (const lines *)ring->first,
		    *last = (const lines *)ring->last;
	lines near = {0};
	if (DH_UNLIKELY(low > high))
		return true;
	for (unsigned i = 0; i < DH_RT_RANGES / AT_ONCE; i++)
		near |= (first[i] <= high) & (last[i] >= low);
	const halves any = (halves)near;
	return any[0] | any[1];
}

uint64_t dh_rt_diary_ranges(uint32_t slot, uintptr_t from, uintptr_t to)
{
	const struct dh_rt_ring *ring = ring_of(slot);
	uint64_t touch = 0;
	if (!ring || !any_near(ring, from, to))
		return 0;
	for (uint32_t i = 0; i < DH_RT_RANGES; i++)
		touch |= (uint64_t)(DH_LOAD(&ring->at[i].from) < to &&
				    DH_LOAD(&ring->at[i].to) > from)
			 << i;
	return touch;
}

/* Is one of n entries, from this number on, of a place in the `size` bytes from `from`?
 */
static bool in_row(const struct dh_rt_diary *d, uint32_t mask, uintptr_t number,
		   uint32_t n, uintptr_t from, uintptr_t size)
{
	uint32_t here;
	for (uint32_t at = number & mask; n; at = 0, n -= here) {
		here = DH_MIN(n, mask + 1 - at);
#pragma GCC unroll 8
		for (uint32_t i = at; i < at + here; i++)
			if (DH_LOAD(&d->at[i].key) - from < size)
				return true;
	}
	return false;
}

bool dh_rt_diary_may_have(uint32_t slot, uintptr_t from, uintptr_t to)
{
	struct dh_rt_diary *d = dh_rt_diary_of(slot);
	if (!d || (!dh_rt_sieve_has(d, from) && !dh_rt_sieve_has(d, to - 1)))
		return false;
	uint32_t mask = __atomic_load_n(&d->mask, __ATOMIC_ACQUIRE);
	uint32_t granules = (uint32_t)(to - from) / DH_GRANULE;
	uintptr_t parts = dh_rt_entry_number(from, false),
		  next = dh_rt_entry_number(from + DH_GRANULE, false) - parts;
	if (in_row(d, mask, dh_rt_entry_number(from, true), granules, from, to - from))
		return true;
	if (DH_LOAD(&d->odd)) {
		if (in_row(d, mask, parts, granules * (uint32_t)next, from, to - from))
			return true;
	} else {
		for (uint32_t i = 0; i < granules; i++, parts += next)
			if (in_row(d, mask, parts, 1, from, to - from) ||
			    in_row(d, mask, parts + 4, 1, from, to - from))
				return true;
	}
	return __atomic_load_n(&d->mask, __ATOMIC_ACQUIRE) != mask; /* has grown */
}

static void tell_ranges(const struct dh_rt_ring *ring, uint64_t ranges, uintptr_t granule,
			dh_rt_told *f, void *with)
{
	for (; ranges; ranges &= ranges - 1) {
		const struct dh_rt_range *r = &ring->at[__builtin_ctzll(ranges)];
		uintptr_t to = __atomic_load_n(&r->to, __ATOMIC_ACQUIRE);
		uintptr_t from = DH_LOAD(&r->from);
		struct dh_rt_past p = {DH_LOAD(&r->rec), r->locks, r->write, true};
		bool lives = r->number > DH_LOAD(born_of(granule));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (from <= granule && granule < to && DH_LOAD(&r->to) == to && lives)
			f(&p, with);
	}
}

static DH_NOINLINE void tell_entry(const struct dh_rt_entry *e, uintptr_t start,
				   dh_rt_told *f, void *with)
{
	uint64_t locks = __atomic_load_n(&e->locks, __ATOMIC_ACQUIRE);
	struct dh_rt_past w = {DH_LOAD(&e->write), dh_rt_entry_locks(locks, true), true,
			       false};
	struct dh_rt_past r = {DH_LOAD(&e->read), dh_rt_entry_locks(locks, false), false,
			       false};
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (DH_LOAD(&e->key) != start || (uint16_t)locks != DH_LOAD(dh_rt_life_of(start)))
		return;
	if (w.rec)
		f(&w, with);
	if (r.rec)
		f(&r, with);
}

/* Most places that are asked for are of something else. */
DH_INLINE void tell(const struct dh_rt_entry *e, uintptr_t start, dh_rt_told *f,
		    void *with)
{
	if (DH_UNLIKELY(__atomic_load_n(&e->key, __ATOMIC_ACQUIRE) == start))
		tell_entry(e, start, f, with);
}

void dh_rt_diary_each(uint32_t slot, uint64_t ranges, uintptr_t granule, dh_rt_told *f,
		      void *with)
{
	struct dh_rt_diary *d = dh_rt_diary_of(slot);
	if (!d)
		return;
	const struct dh_rt_ring *ring = ranges ? ring_of(slot) : NULL;
	unsigned step = DH_LOAD(&d->odd) ? 1 : 4;
	if (ring)
		tell_ranges(ring, ranges, granule, f, with);
	if (!dh_rt_sieve_has(d, granule))
		return;
	tell(dh_rt_entry_of(d, granule, true), granule, f, with);
	for (unsigned off = 0; off < DH_GRANULE; off += step)
		tell(dh_rt_entry_of(d, granule + off, false), granule + off, f, with);
}

/* ---- forgetting ---- */

void dh_rt_diaries_forget(uintptr_t from, uintptr_t to)
{
	const uintptr_t line = (uintptr_t)1 << DH_LINE_BITS;
	uint32_t number = DH_LOAD(&numbers);
	uintptr_t first = from & ~(uintptr_t)(DH_RT_LIFE_PIECE - 1);
	for (uintptr_t at = first; at < to; at += DH_RT_LIFE_PIECE) {
		uint16_t *life = dh_rt_life_of(at);
		DH_STORE(life, (uint16_t)(DH_LOAD(life) + 1));
	}
	for (uintptr_t at = from & -line; number && at < to; at += line)
		DH_STORE(born_of(at), number);
}
