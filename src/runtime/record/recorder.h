/* SPDX-License-Identifier: MIT */
/*
 * What the engine `record` keeps of a thread, and the accesses: which of them are written
 * down, and in which order.
 *
 * Which. The cells of the shadow are used to recognise repeats, in the form that the fast
 * path in the program knows (access.h), so that a repeat never gets here: a cell has the
 * last write and the last read, whoever made it. A time frame ends at every step of
 * synchronisation, also at an acquire. So of the accesses of one kind that a thread makes
 * to a granule between two such steps the first is recorded, and another one whenever
 * another thread has come in between with a conflicting access. With DH_RING_ALL no cells
 * are kept, and every access is recorded. Otherwise those of the first thread before
 * there is another are not: whoever reads the recording would leave them out
 * (record/company.h).
 *
 * Which order. An access that finds a conflicting record of another thread in the cell,
 * and is not ordered after it by the program, takes a ticket (trace/ring.h), and so comes
 * after it. Where it is ordered, the step that made it so has taken one. Two threads in
 * the same few nanoseconds can each miss the other; and the access itself is made after
 * it was told of. So the order of two accesses that race is the likely one and not a
 * certain one.
 *
 * Memory that has just become fresh has empty cells: there an access takes a ticket, too,
 * unless the thread has one that is newer than that.
 *
 * Where several threads read the same memory a cell has a set of records (sets.h) as with
 * fasttrack, and each of them recognises its repeats. Where sets do not pay they take
 * turns in the cell, and what each of them has recorded in its time frame is kept in a
 * small table of its own.
 *
 * Context: as stream.h.
 */
#ifndef DH_RUNTIME_RECORD_RECORDER_H
#define DH_RUNTIME_RECORD_RECORDER_H

#include "runtime/record.h"
#include "runtime/record/stream.h"

enum { DH_RECORDER_SEEN = 1024 };

/* A read that is in the stream: of which bytes and when, and the write that the cell had
 * then. */
struct dh_seen {
	uintptr_t granule; /* its number */
	dh_record read, write;
	uint64_t unseen; /* and dh_recorder_unseen */
};

/* An atomic access that was told of. */
struct dh_touch {
	uintptr_t addr;
	uint64_t pc;
	unsigned size; /* 0: none */
	bool write;
};

struct dh_recorder {
	struct dh_stream stream;
	struct dh_touch touch; /* what follows says what it is */
	struct dh_seen seen[DH_RECORDER_SEEN];
};

extern uint64_t dh_recorder_fresh; /* atomic: the ticket of the last step that made memory
				      fresh */
/* Which accesses are recorded; atomic: none, since there was no second thread yet, atomic
 * ones included; the first ones; all. */
extern enum dh_recorder_mode {
	DH_RECORDER_SILENT,
	DH_RECORDER_FIRST,
	DH_RECORDER_ALL
} dh_recorder_mode;
extern uint64_t dh_recorder_unseen; /* atomic: begins and ends of missing methods */

/* The thread's own, made where it has none. */
DH_COLD struct dh_recorder *dh_recorder_new(struct dh_self *t);
void dh_recorder_free(struct dh_recorder *k);

DH_INLINE struct dh_recorder *dh_recorder_of(struct dh_self *t)
{
	struct dh_recorder *k = t->state->observed;
	return DH_LIKELY(k != NULL) ? k : dh_recorder_new(t);
}

/* For struct dh_observer. */
void dh_recorder_access(struct dh_self *t, uintptr_t addr, size_t size, unsigned flags,
			uint64_t pc);
void dh_recorder_first(struct dh_self *t, uintptr_t addr, unsigned how, uint64_t pc,
		       struct dh_cell *c);

DH_INLINE bool dh_recorder_is(enum dh_recorder_mode mode)
{
	return __atomic_load_n(&dh_recorder_mode, __ATOMIC_RELAXED) == mode;
}

/* Writes down an atomic access that was none of an atomic operation: of a lock to its own
 * memory, for one. */
void dh_recorder_put_touch(struct dh_recorder *k);

DH_INLINE void dh_recorder_touch(struct dh_recorder *k)
{
	if (DH_UNLIKELY(k->touch.size))
		dh_recorder_put_touch(k);
}

#endif
