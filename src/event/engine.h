/* SPDX-License-Identifier: MIT */
/*
 * Writing a detector
 * ==================
 * An engine is one algorithm. It sees the run as a stream of events in one order,
 * and reports races. It does not know where the events come from (a trace file, a
 * test, a running program), keeps no table of threads, variables or locks of its
 * own, and calls no libc: memory and sets come from src/base and src/lockset.
 *
 * The frame (stream.h) does for every engine what all of them would otherwise do
 * again:
 *   - threads: a struct dh_thread for each, with its id;
 *   - order: strong and weak happens-before (clock/order.h), if the engine's
 *     `needs` ask for it;
 *   - locks held, as interned sets, if asked for;
 *   - one zero-initialised cell per variable, of the engine's size. Zero must mean
 *     "never accessed";
 *   - reports: repeats of a pair of sites on a variable are taken out.
 *
 * What happens when
 *   event                 order and locksets are brought up to date, then
 *   thread begins         start()   before the thread's first event; parent is NULL
 *                                   for one that started by itself
 *   lock, fork, ...       sync()    for every operation that is not a read or write.
 *                                   At a fork, start() of the child has run; at an
 *                                   alloc, reset() of the cell. Nested acquires of a
 *                                   held lock do not arrive.
 *   read, write           read(), write()   with the variable's cell
 *   alloc                 reset()   the variable's cell starts over
 *   parts told apart      copy()    a running program's: what was one variable so far is
 *                                   several from now on, which begin with its history
 *   end                   reset() for every cell, then fini()
 * Any hook but read, write and reset may be NULL; an engine without copy is not for
 * running programs.
 *
 * An access comes as a struct dh_access, which is all that an engine may keep of it:
 * the lockset and the clock in it are those of the access itself. A filter in front
 * may have held an access back, so take these two from there and not from the thread.
 *
 * To add an engine: one file in src/engines with its struct, its hooks and one
 * `const struct dh_engine_ops`, an entry in registry/list.h, docs/engines/<name>.md,
 * and a line in the oracle test (tests/oracle). A rule of a paper gets a counter
 * with the rule's name, listed in `counters`.
 *
 * Context: one event at a time (the caller serialises), but for engines that have
 * `shared`. Hooks may allocate.
 */
#ifndef DH_EVENT_ENGINE_H
#define DH_EVENT_ENGINE_H

#include "base/lock.h"
#include "base/map.h"
#include "clock/order.h"
#include "event/event.h"
#include "event/race.h"
#include "lockset/lockset.h"

struct dh_stream;
struct dh_engine;

struct dh_thread {
	struct dh_party party; /* id, slot, clock, knowledge */
	dh_lockset held;       /* locks held in any mode */
	dh_lockset held_write; /* locks held in write mode */
	dh_lockset held_read;  /* locks held in read mode; a lock may be in both */
};

struct dh_access {
	uint64_t index;
	uint32_t var;
	uint32_t object;  /* the group of variables it belongs to; its own where none */
	uint32_t site;
	uint32_t clock;   /* the thread's scalar at the access */
	dh_lockset locks; /* what protects it: for a read all locks held, for a write
			     those held in write mode (Eraser's rule) */
	bool write;
};

enum {
	DH_NEEDS_STRONG = 1,
	DH_NEEDS_WEAK = 2,
	DH_NEEDS_LOCKSETS = 4,
};

/* A named uint64_t inside the engine's or filter's struct. Lists end with a NULL name. */
struct dh_counter {
	const char *name;
	size_t offset;
};

/* For an engine that several threads may use at once. After begin() any number of threads
 * may be in read, write and sync below, each with a struct dh_thread of its own; for two
 * accesses to one variable the caller sees to it that they come one after the other. All
 * other hooks are for one thread that is alone with the engine. */
struct dh_engine_shared {
	void (*begin)(struct dh_engine *e); /* before the first event */
	/* As sync of the ops, before order and locksets are brought up to date. False, and
	 * nothing is done, where that has to be alone. */
	bool (*sync)(struct dh_engine *e, struct dh_thread *t, const struct dh_event *ev);
	/* Is there something to be done alone? Asked after a step, by anyone; done soon. */
	bool (*due)(struct dh_engine *e);
	void (*settle)(struct dh_engine *e);
	/* Alone: brings the counters up to date. */
	void (*tally)(struct dh_engine *e);
};

struct dh_engine_ops {
	const char *name;
	const char *summary;    /* one line: idea and source */
	const char *guarantees; /* one line: what a report and a silence mean */
	const char *misses;     /* one line */
	unsigned needs;         /* DH_NEEDS_* */
	uint32_t clock_limit;   /* bound of weak clocks it asks for; 0: none */
	size_t size;            /* of its struct, which begins with struct dh_engine */
	size_t cell_size;       /* of its state per variable */
	bool silent;            /* finds nothing: not among `all` detectors */
	bool every_report;      /* keep repeats of a pair of sites */
	bool lock_order;        /* judges by order through locks (strong): is not shown
				   an access late, after lock operations of its thread */
	const struct dh_counter *counters;
	const struct dh_engine_shared *shared; /* or NULL */

	void (*init)(struct dh_engine *e);
	void (*fini)(struct dh_engine *e);
	void (*start)(struct dh_engine *e, struct dh_thread *t, struct dh_thread *parent);
	void (*sync)(struct dh_engine *e, struct dh_thread *t, const struct dh_event *ev);
	void (*read)(struct dh_engine *e, struct dh_thread *t, void *cell,
		     const struct dh_access *a);
	void (*write)(struct dh_engine *e, struct dh_thread *t, void *cell,
		      const struct dh_access *a);
	void (*reset)(struct dh_engine *e, void *cell);
	void (*copy)(struct dh_engine *e, void *to, const void *from); /* to is zero */
	/* For what runs for hours: the lock, message or volatile of this number is no
	 * more, and the number will be another one's; the thread has ended, and no event
	 * will speak of it if it is alone (else it may be joined). */
	void (*forget)(struct dh_engine *e, enum dh_name_kind kind, uint32_t number);
	void (*end)(struct dh_engine *e, struct dh_thread *t, bool alone);
};

/* Cells in chunks, so that they never move. */
struct dh_cells {
	char **chunks;
	size_t chunk_count;
	size_t cell_size;
};

struct dh_engine {
	const struct dh_engine_ops *ops;
	struct dh_stream *stream;
	struct dh_cells cells;  /* by variable */
	struct dh_lock reporting; /* protects the two that follow */
	struct dh_map reported; /* hashes of what was reported */
	uint64_t races;         /* reported, repeats not counted */
};

/* The cell of a number, made (zero) when first asked for. */
void *dh_cells_get(struct dh_cells *c, uint32_t number);

/* The same, but NULL where it has not been made. */
void *dh_cells_find(const struct dh_cells *c, uint32_t number);

/* Calls f for every cell ever made, in ascending order. */
void dh_cells_each(struct dh_cells *c, void (*f)(void *context, void *cell),
		   void *context);

void dh_cells_free(struct dh_cells *c);

/* States a race. What the race points to is copied. Any thread may, at any time. */
void dh_engine_report(struct dh_engine *e, const struct dh_race *race);

/* States what adds an access to the last race that was stated on the same variable, and
 * is none of its own. Goes nowhere where nobody has asked for it (stream.h). */
void dh_engine_further(struct dh_engine *e, const struct dh_race *race);

/* States that the access and an earlier one were left unordered: grade `observed`. */
void dh_engine_observed(struct dh_engine *e, const struct dh_thread *t,
			const struct dh_access *a, const struct dh_mark *first,
			bool first_write);

/* The table that this engine's locksets are in. */
struct dh_lockset_table *dh_engine_locksets(const struct dh_engine *e);

DH_INLINE struct dh_mark dh_access_mark(const struct dh_thread *t,
					const struct dh_access *a)
{
	return (struct dh_mark){a->index, t->party.id, a->site};
}

DH_INLINE dh_epoch dh_access_epoch(const struct dh_thread *t, const struct dh_access *a)
{
	return dh_epoch_make(t->party.slot, a->clock);
}

#endif
