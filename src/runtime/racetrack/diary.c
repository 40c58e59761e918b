/* SPDX-License-Identifier: MIT */
/* See diary.h. */
#include "runtime/racetrack/diary.h"
#include "base/mem.h"
#include "runtime/access.h"

enum { FIRST = 512, MOST = 8192 };

static struct dh_rt_diary *diaries[DH_SLOTS]; /* atomic */

struct dh_rt_diary *dh_rt_diary_of(uint32_t slot)
{
	return __atomic_load_n(&diaries[slot], __ATOMIC_ACQUIRE);
}

static struct dh_rt_diary *make(uint32_t entries)
{
	struct dh_rt_diary *d = dh_mem_alloc(sizeof *d + entries * sizeof d->at[0]);
	d->mask = entries - 1;
	return d;
}

void dh_rt_diary_take(struct dh_rt_thread *me, uint32_t slot)
{
	struct dh_rt_diary *d = dh_rt_diary_of(slot);
	if (!d) {
		d = make(FIRST);
		__atomic_store_n(&diaries[slot], d, __ATOMIC_RELEASE);
	}
	me->diary = d;
	me->slot = slot;
}

/* ---- writing ---- */

/* All that is not empty moves to a diary of four times the size. The old one stays: who
 * is just reading it does not have to be told. They are small beside the last. */
static DH_COLD void grow(struct dh_rt_thread *me)
{
	struct dh_rt_diary *old = me->diary, *d = make((old->mask + 1) * 4);
	for (uint32_t i = 0; i <= old->mask; i++) {
		const struct dh_rt_entry *e = &old->at[i];
		bool whole = e->key && e == dh_rt_entry_of(old, e->key, true);
		if (e->key)
			*dh_rt_entry_of(d, e->key, whole) = *e;
	}
	d->odd = old->odd;
	d->ring = old->ring;
	__atomic_store_n(&diaries[me->slot], d, __ATOMIC_RELEASE);
	me->diary = d;
}

/* One record for what the thread did and does, if it is of the same time: it stands for
 * the bytes of both. */
static dh_record merge(dh_record old, dh_record rec)
{
	return old && dh_record_same_epoch(old, rec) && !((old ^ rec) & DH_ATOMIC_FLAG)
		   ? rec & (old | ~DH_ABSENT_FIELD)
		   : rec;
}

void dh_rt_diary_note(struct dh_rt_thread *me, struct dh_rt_entry *e, uintptr_t start,
		      bool write, dh_record rec)
{
	uint64_t key = DH_LOAD(&e->key);
	bool whole = dh_record_mask(rec) == DH_WHOLE;
	if (key != start) {
		struct dh_rt_diary *d = me->diary;
		if (key && d->fresh > d->mask / 2 && d->mask + 1 < MOST) {
			grow(me);
			e = dh_rt_entry_of(me->diary, start, whole);
			key = e->key;
		}
		me->counts[DH_RT_FORGOTTEN] += key != 0;
		me->diary->fresh++;
		if (start & 3)
			DH_STORE(&me->diary->odd, true);
		DH_STORE(&e->key, 0);
		__atomic_signal_fence(__ATOMIC_SEQ_CST); /* stores stay in order */
		DH_STORE(&e->write, 0);
		DH_STORE(&e->read, 0);
	}
	dh_record *place = write ? &e->write : &e->read;
	DH_STORE(place, merge(DH_LOAD(place), rec));
	*(write ? &e->write_locks : &e->read_locks) = dh_rt_locks(me, write);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	DH_STORE(&e->key, start);
}

void dh_rt_diary_range(struct dh_rt_thread *me, uintptr_t from, uintptr_t to, bool write,
		       dh_record rec)
{
	struct dh_rt_ring *ring = me->diary->ring;
	if (!ring) {
		ring = dh_mem_alloc(sizeof *ring);
		__atomic_store_n(&me->diary->ring, ring, __ATOMIC_RELEASE);
	}
	struct dh_rt_range *r = &ring->at[ring->head++ % DH_RT_RANGES];
	me->counts[DH_RT_FORGOTTEN] += DH_LOAD(&r->to) != 0;
	DH_STORE(&r->to, 0);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	DH_STORE(&r->from, from);
	DH_STORE(&r->rec, rec);
	r->locks = dh_rt_locks(me, write);
	r->write = write;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	DH_STORE(&r->to, to);
}

/* ---- reading ---- */

static void tell_ranges(const struct dh_rt_ring *ring, uintptr_t granule, dh_rt_told *f,
			void *with)
{
	for (uint32_t i = 0; i < DH_RT_RANGES; i++) {
		const struct dh_rt_range *r = &ring->at[i];
		uintptr_t to = __atomic_load_n(&r->to, __ATOMIC_ACQUIRE);
		uintptr_t from = DH_LOAD(&r->from);
		struct dh_rt_past p = {DH_LOAD(&r->rec), r->locks, r->write};
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (from <= granule && granule < to && DH_LOAD(&r->to) == to)
			f(&p, with);
	}
}

static void tell(struct dh_rt_entry *e, uintptr_t start, dh_rt_told *f, void *with)
{
	uint64_t key = __atomic_load_n(&e->key, __ATOMIC_ACQUIRE);
	if (key != start)
		return;
	struct dh_rt_past w = {DH_LOAD(&e->write), e->write_locks, true};
	struct dh_rt_past r = {DH_LOAD(&e->read), e->read_locks, false};
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (DH_LOAD(&e->key) != start)
		return;
	if (w.rec)
		f(&w, with);
	if (r.rec)
		f(&r, with);
}

void dh_rt_diary_each(uint32_t slot, uintptr_t granule, dh_rt_told *f, void *with)
{
	struct dh_rt_diary *d = dh_rt_diary_of(slot);
	if (!d)
		return;
	const struct dh_rt_ring *ring = __atomic_load_n(&d->ring, __ATOMIC_ACQUIRE);
	unsigned step = DH_LOAD(&d->odd) ? 1 : 4;
	if (ring)
		tell_ranges(ring, granule, f, with);
	tell(dh_rt_entry_of(d, granule, true), granule, f, with);
	for (unsigned off = 0; off < DH_GRANULE; off += step)
		tell(dh_rt_entry_of(d, granule + off, false), granule + off, f, with);
}

/* ---- forgetting ---- */

static void forget(struct dh_rt_entry *e, uintptr_t from, uintptr_t to)
{
	uintptr_t key = DH_LOAD(&e->key);
	if (key && key >= from && key < to)
		__atomic_compare_exchange_n(&e->key, &key, 0, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
}

/* A range of which a part is to be forgotten goes whole. */
static void forget_ranges(struct dh_rt_ring *ring, uintptr_t from, uintptr_t to)
{
	for (uint32_t i = 0; i < DH_RT_RANGES; i++) {
		struct dh_rt_range *r = &ring->at[i];
		uintptr_t end = DH_LOAD(&r->to);
		if (end > from && DH_LOAD(&r->from) < to)
			__atomic_compare_exchange_n(&r->to, &end, 0, false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

static void forget_in(struct dh_rt_diary *d, uintptr_t from, uintptr_t to)
{
	struct dh_rt_ring *ring = __atomic_load_n(&d->ring, __ATOMIC_ACQUIRE);
	if (ring)
		forget_ranges(ring, from, to);
	unsigned step = DH_LOAD(&d->odd) ? 1 : 4;
	if ((to - from) / 2 > d->mask) {
		for (uint32_t i = 0; i <= d->mask; i++)
			forget(&d->at[i], from, to);
		return;
	}
	for (uintptr_t g = from & ~(uintptr_t)7; g < to; g += DH_GRANULE) {
		forget(dh_rt_entry_of(d, g, true), from, to);
		for (unsigned off = 0; off < DH_GRANULE; off += step)
			forget(dh_rt_entry_of(d, g + off, false), from, to);
	}
}

void dh_rt_diaries_forget(uint32_t slot, uintptr_t from, uintptr_t to)
{
	uint32_t first = slot ? slot : 1,
		 last = slot ? slot + 1 : DH_LOAD(&dh_slot_count);
	for (uint32_t s = first; s < last; s++) {
		struct dh_rt_diary *d = dh_rt_diary_of(s);
		if (d)
			forget_in(d, from, to);
	}
}
