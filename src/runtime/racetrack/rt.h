/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the engine `racetrack` share: what it keeps of a thread.
 *
 * The parts: `objects` from an address to the word of its object; `step` the machine
 * that runs on objects and on fields; `diary` each thread's recent accesses, from which
 * the fields of an object get their past when it is refined; `weak` the order without
 * locks; `held` the locks that a thread holds, as locksets; `refine` from object to
 * fields, whose state is `aside`; `modes` locks of a past access; `fields` what is not
 * ordered but by locks; `lines` what a thread repeats; `observer` the hooks.
 *
 * Context: hooks of observer.h; a thread's own part is written by itself alone, but
 * where it says so.
 */
#ifndef DH_RUNTIME_RACETRACK_RT_H
#define DH_RUNTIME_RACETRACK_RT_H

#include "lockset/lockset.h"
#include "runtime/racetrack/words.h"
#include "runtime/thread.h"

struct dh_rt_diary;

/* A lock that a thread holds. */
struct dh_rt_held {
	uintptr_t lock;
	uint32_t id;
	uint32_t writes, reads; /* how many times, in which mode */
	bool nested;		/* locks taken since are given back before it; then: */
	dh_lockset all, write;	/* the thread's, as they were without it */
};

/* A lock that it knows, and what the last set was that it was added to. */
struct dh_rt_known {
	uintptr_t lock;
	uint32_t id;
	dh_lockset from, to;
};

/* Locksets, and what was made of them last (modes.h). */
struct dh_rt_modes {
	dh_lockset all, write, made;
};

/* A granule of a refined object that atomic operations use, locks first of all. */
struct dh_rt_use {
	uintptr_t granule; /* 0: none */
	dh_rt_word *word;  /* of the object; valid as long as it has the value `fine` */
	dh_rt_word fine;
	struct dh_cell *cell;
};

enum { DH_RT_USES = 64 };

/* Where the last small access was that left its object as it is: one beside it, in the
 * same granule and time frame, has little to look at (first.c). */
struct dh_rt_near {
	uintptr_t granule;	/* 0: none */
	const dh_rt_word *word; /* of the object; as long as it has this value */
	dh_rt_word stays;
	const uint16_t *life;
	struct dh_rt_entry *at; /* its bytes in the diary, side by side */
	uint64_t others;	/* 1: it is not the owner's own object; else 0 */
};

/* What a synchronisation object carries of the weak order (weak.h) was received when it
 * had changed so many times, and the strong clock of the thread had this version. */
struct dh_rt_received {
	const struct dh_sync *object;
	uint32_t changes, version;
};

enum { DH_RT_HELD_MAX = 64, DH_RT_LOCK_CACHE = 64, DH_RT_RECEIVED = 16 };

/* Table 3, and what else is counted where it happens. */
enum dh_rt_count {
	DH_RT_ACCESSES,
	DH_RT_REPEATED,	    /* of these, known to repeat: nothing to do */
	DH_RT_OBJECT_LEVEL, /* judged on the object */
	DH_RT_IN_OWNED,	    /* of these, with the owner's own object */
	DH_RT_FIELD_LEVEL,
	DH_RT_ALLOCATED,
	DH_RT_REFINED,
	DH_RT_SPARED, /* not refined: meetings.h */
	DH_RT_SYNCS,
	DH_RT_TICKS,	 /* time frames that ended, with something on record */
	DH_RT_FORGOTTEN, /* entries of diaries overwritten by others */
	DH_RT_HANDED,	 /* first hand-overs that a lock alone ordered */
	/* Judged on the object in first.c, to be added to the first of these: */
	DH_RT_QUICK,
	DH_RT_QUICK_OTHERS, /* of these, not with the owner's own */
	DH_RT_COUNTS
};

/* What no epoch is, and nothing either. */
#define DH_RT_NO_FRAME UINT64_MAX

struct dh_rt_thread {
	struct dh_rt_diary *diary; /* of its slot */
	struct dh_lines *lines;	   /* those of the thread, if this has made them */
	uint32_t slot;
	uint32_t frame;	      /* of the weak order: the clock at its first access; or 0 */
	uint64_t direct;      /* the last epoch with direct accesses (direct.h) */
	uint64_t ticked;      /* the last epoch with something on record */
	uint64_t epoch;	      /* that the next four are for, or DH_RT_NO_FRAME */
	dh_rt_word own[2];    /* what OWNED by it is now, after a read and a write */
	dh_rt_word locked[2]; /* the same of LOCKED with the locks that it has, but that a
			       * read leaves the label; or DH_RT_NEVER */
	uint32_t locks[2];    /* that protect a read and a write now; */
	uint32_t with;	   /* all, with their modes (modes.h), as the diary has them; */
	uint64_t noted[2]; /* the same in place, of a read and a write */
	dh_lockset all, write; /* locks held; those held in write mode */
	uint32_t *weak;	       /* the weak clock, by slot; its own entry is not used */
	bool level;	       /* the weak clock has all that the strong one has; */
	uint32_t sealed;       /* it had when its own was this */
	bool compared;	       /* nothing but the strong clock has changed that since */
	struct dh_rt_received received[DH_RT_RECEIVED];
	uintptr_t granule;     /* of the access at hand, while its fields are judged */
	uint64_t reuses;       /* lines.h; */
	uint32_t layouts;      /* likewise */
	uintptr_t gone;	       /* what it gave back last, if others may have used it */
	struct dh_rt_held held[DH_RT_HELD_MAX];
	uint32_t held_count;
	struct dh_rt_modes modes;
	uint32_t *until;    /* of its slot: held.h */
	uint32_t forgotten; /* that the next is for, likewise */
	struct dh_rt_known cache[DH_RT_LOCK_CACHE];
	struct dh_rt_use uses[DH_RT_USES];
	struct dh_rt_near near[2]; /* of reads and of writes, with what it has for epoch */
	uint64_t counts[DH_RT_COUNTS];
	struct dh_rt_thread *next; /* of all that ever were, for the counters */
};

/* Has the kernel give the pages of a fresh table at once. A page that is read before it
 * is written costs two faults, and the second one interrupts all other threads. */
DH_INLINE void dh_rt_use_pages(void *at, size_t size)
{
	for (size_t i = 0; i < size; i += 4096)
		__atomic_store_n((char *)at + i, 0, __ATOMIC_RELAXED);
}

/* The locksets of all threads. */
extern struct dh_lockset_table *dh_rt_locksets;

DH_INLINE struct dh_rt_thread *dh_rt_of(const struct dh_self *t)
{
	return t->state->observed;
}

/* The locks that protect an access of this kind (Eraser's rule for reader-writer
 * locks), as a number that fits a word. */
DH_INLINE uint32_t dh_rt_locks(const struct dh_rt_thread *me, bool write)
{
	dh_lockset s = write ? me->write : me->all;
	return DH_LIKELY(s < DH_RT_INFO_MAX) ? s : DH_LOCKSET_EMPTY;
}

/* What no object and no field has. */
#define DH_RT_NEVER dh_rt_make(DH_RT_LOCKED, 0, DH_RT_INFO_MAX, 0)

/* Is the word what OWNED by the thread is now, or with what it has? And LOCKED with its
 * locks (for a read: whatever the label)? False may be wrong. */
DH_INLINE bool dh_rt_is_owned(const struct dh_rt_thread *me, dh_rt_word w, bool write)
{
	const uint64_t flags = DH_RT_KNOWN | DH_RT_MIXED | (write ? 0 : DH_RT_WROTE);
	return ((w ^ me->own[write]) & ~flags) == 0;
}

DH_INLINE bool dh_rt_is_locked(const struct dh_rt_thread *me, dh_rt_word w, bool write)
{
	const uint64_t flags = DH_RT_KNOWN | DH_RT_MIXED | (write ? 0 : DH_RT_WROTE);
	const uint64_t label = write ? 0 : ~(uint64_t)0 << DH_CLOCK_SHIFT;
	return ((w ^ me->locked[write]) & ~(flags | label)) == 0;
}

/* Is the word LOCKED with just the locks of the thread, and stays so, whatever its label?
 */
DH_INLINE bool dh_rt_has_locks(const struct dh_rt_thread *me, dh_rt_word w, bool write)
{
	const uint64_t kind = ((uint64_t)DH_RT_INFO_MAX << DH_RT_INFO_SHIFT) | 7;
	return ((w ^ me->locked[write]) & (kind | (write ? DH_RT_WROTE : 0))) == 0;
}

/* The word that an access leaves behind where it takes an object that was Virgin (heap:
 * of a block of the heap), or renews its label and nothing else. 0 where it is neither, or
 * may be more. */
DH_INLINE dh_rt_word dh_rt_renewed(const struct dh_self *t, const struct dh_rt_thread *me,
				   dh_rt_word w, bool write, bool heap)
{
	const uint64_t kind = ((uint64_t)DH_RT_INFO_MAX << DH_RT_INFO_SHIFT) | 7;
	if (dh_rt_state(w) == DH_RT_OWNED)
		return dh_record_same_slot(w, t->epoch) ? me->own[write] | dh_rt_flags(w)
							: 0;
	if (!w)
		return me->own[write] | (heap ? 0 : DH_RT_KNOWN);
	return write && !((w ^ me->locked[write]) & kind) && dh_rt_before(t->vc, w)
		   ? me->locked[write] | dh_rt_flags(w)
		   : 0;
}

/* The same, and it is there. */
DH_INLINE bool dh_rt_renews(const struct dh_self *t, const struct dh_rt_thread *me,
			    dh_rt_word *place, dh_rt_word w, bool write, bool heap)
{
	dh_rt_word next = dh_rt_renewed(t, me, w, write, heap);
	return next && dh_rt_swap(place, w, next);
}

#endif
