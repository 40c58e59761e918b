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
 * Concurrency: written by the thread that has the slot; read by any, which may find an
 * entry torn and then takes it for none. dh_rt_diaries_forget() takes away entries of
 * others. A forgotten or torn entry loses evidence, never makes any up.
 */
#ifndef DH_RUNTIME_RACETRACK_DIARY_H
#define DH_RUNTIME_RACETRACK_DIARY_H

#include "runtime/racetrack/rt.h"

/* Bytes of one granule; a power of two of them, aligned. */
struct dh_rt_entry {
	uintptr_t key;	       /* atomic: where it starts; 0: none */
	dh_record write, read; /* atomic: the last of each, or 0 */
	uint32_t write_locks, read_locks;
};
_Static_assert(sizeof(struct dh_rt_entry) == 32, "two to a cache line");

/* An access to a range, for each granule in it the record with a mask of all bytes. */
struct dh_rt_range {
	uintptr_t from, to; /* atomic: multiples of 8; to is 0 where there is none */
	dh_record rec;	    /* atomic */
	uint32_t locks;
	bool write;
};

enum { DH_RT_RANGES = 64, DH_RT_RANGE_LEAST = 256 };

/* A slot's ranges; they stay when its diary grows. */
struct dh_rt_ring {
	uint32_t head; /* written ever */
	struct dh_rt_range at[DH_RT_RANGES];
};

struct dh_rt_diary {
	struct dh_rt_ring *ring; /* atomic; NULL: none so far */
	uint32_t mask;		 /* entries - 1 */
	uint32_t fresh;		 /* entries taken since the table grew */
	bool odd; /* atomic: it has, or had, places at offsets other than 0 and 4 */
	struct dh_rt_entry at[];
};

/* Whole granules and parts of them have places of their own. */
DH_INLINE struct dh_rt_entry *dh_rt_entry_of(struct dh_rt_diary *d, uintptr_t start,
					     bool whole)
{
	uintptr_t at = start >> 3;
	return &d->at[(whole ? at : at * 3 + (start & 7) * 0x155 + 0x2f5) & d->mask];
}

/* The diary of a slot; NULL where there is none. */
struct dh_rt_diary *dh_rt_diary_of(uint32_t slot);

/* The thread's slot has changed: its diary is that of the new one. */
void dh_rt_diary_take(struct dh_rt_thread *me, uint32_t slot);

/* Notes an access at e, which is the place for it. */
void dh_rt_diary_note(struct dh_rt_thread *me, struct dh_rt_entry *e, uintptr_t start,
		      bool write, dh_record rec);

/* Notes an access to [from, to), at least DH_RT_RANGE_LEAST bytes of whole granules. */
void dh_rt_diary_range(struct dh_rt_thread *me, uintptr_t from, uintptr_t to, bool write,
		       dh_record rec);

/* An access that is in a diary. */
struct dh_rt_past {
	dh_record rec;
	uint32_t locks;
	bool write;
};

/* Calls f for all accesses to a granule that the diary of a slot has. */
typedef void dh_rt_told(const struct dh_rt_past *p, void *with);
void dh_rt_diary_each(uint32_t slot, uintptr_t granule, dh_rt_told *f, void *with);

/* All diaries, or that of one slot where it is not 0, forget [from, to). */
void dh_rt_diaries_forget(uint32_t slot, uintptr_t from, uintptr_t to);

#endif
