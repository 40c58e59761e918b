/* SPDX-License-Identifier: MIT */
/*
 * What the two Goldilocks engines share: the update list, the locksets evaluated from
 * it when they are asked for, and the reclamation of old cells. No vector clocks.
 *
 * Glossary
 *   element   what a lockset may contain (goldi_elements.h)
 *   cell      one step of the update list: "a lockset that contains `from` gets `to`".
 *             Every rule of the paper's Figure 1 but the first has this form.
 *   position  a cell's number since the start of the run. The list holds the cells
 *             from `base` to the tail.
 *   frame     what a thread does between two steps that others can learn from
 *             (releases, forks, ...). All accesses of one frame have the same
 *             lockset at all times.
 *   origin    the lockset of a frame's accesses; shared, counted by reference.
 *               open    the frame goes on: the lockset is the thread alone
 *               young   evaluated up to its own position, in bits of its own
 *               aged    evaluated up to base in a column of the matrix, and perhaps
 *                       further in bits of its own
 *               merged  equal to another one, which answers for it
 *   settled   of an aged origin: at some position its lockset contained every thread
 *             that could still do something, so that it is ordered before all that
 *             these and their descendants do from there on.
 *   info      what a variable keeps of an access: origin, alock, and where it was
 *
 * Invariants
 *   (L) A lockset only grows, so "ordered before thread t" stays true.
 *   (P) The position of an origin that is young or aged is at least base.
 *   (O) Of two merged origins the one that aged first answers. So the way from an info
 *       to the one that answers is not made longer by origins that age later.
 *
 * Several threads at once (`shared`, see dh_engine_shared in event/engine.h)
 *   Reads, writes, and the steps that dh_goldi_sync_shared() takes: by any number of
 *   threads, each for itself and with its own struct dh_goldi_thread, the variable's cell
 *   being its caller's alone meanwhile. They append to the list without a lock
 *   (goldi_list.h) and evaluate an origin under its own lock. All else, so also
 *   reclamation: by one thread, alone. Hence, in what is shared, only these change:
 *   the list's tail; of an origin refs, position, bits; of a lock `last`.
 *   (E) Which cells between two of its own steps others append makes no difference for
 *       what a thread's accesses are found to be: its frame's lockset is the thread
 *       alone until its next step, and what it has learned ends with its last one. So
 *       any order in which an access is judged is as good as the order of the run.
 *   (Z) An origin that is closed and has no reference never gets one again; it stays in
 *       its list until the one to whom the list belongs looks there.
 *
 * Context: as the engine's hooks. Allocates.
 */
#ifndef DH_ENGINES_GOLDI_H
#define DH_ENGINES_GOLDI_H

#include "base/lock.h"
#include "base/sparse.h"
#include "base/stable.h"
#include "base/vec.h"
#include "engines/goldi_elements.h"
#include "engines/goldi_list.h"
#include "engines/goldi_matrix.h"
#include "event/engine.h"

#define DH_GOLDI_OPEN UINT64_MAX

/* References that the open frame has in advance, so that its thread need not count each
 * where others do. */
#define DH_GOLDI_LOAN ((uint32_t)1 << 31)

enum {
	DH_GOLDI_LIMIT = 64 << 10, /* cells that the list may always have */
	DH_GOLDI_MERGE = 128,	   /* columns that may come before a merge is worth it */
};

/* A lockset's bits, by element; absent words are zero. */
struct dh_goldi_bits {
	uint32_t words;
	uint64_t at[];
};

struct dh_goldi_origin {
	uint64_t position; /* evaluated so far; DH_GOLDI_OPEN while the frame goes on */
	uint64_t settled;  /* 1 + the position at which it was found settled, or 0 */
	struct dh_goldi_bits *bits; /* young: all, or NULL for the thread alone. Aged:
				       what it has beyond its column */
	struct dh_brief lock;	    /* protects bits, and position once it is closed */
	uint32_t refs;		    /* infos, merged origins, the open frame; atomic. And
				       DH_GOLDI_LOAN, less what was handed out of it */
	uint32_t merged;	    /* the origin that answers for this one, or 0 */
	uint32_t column;	    /* 1 + its column, or 0 */
	uint32_t thread;	    /* element of the thread that made the access */
};

/* What is counted at accesses and steps. */
struct dh_goldi_counts {
	uint64_t accesses;
	uint64_t owner;	     /* ordered: same thread */
	uint64_t alock;	     /* ordered: protected by the same lock both times */
	uint64_t proven;     /* ordered: the lockset as evaluated so far says so */
	uint64_t refuted;    /* unordered, without a walk */
	uint64_t full_walks; /* evaluations that had to go through cells */
	uint64_t cells_walked;
	uint64_t cells_appended;
};

/* What a thread has until it ends; what all have together where one is alone at all
 * times.
 */
struct dh_goldi_work {
	struct dh_vec(uint32_t) young; /* origins of its frames, closed, no column */
	size_t sweep_at;	       /* young ones at which it looks who is unused */
	struct dh_vec(uint32_t) stock; /* origins for its next frames */
	struct dh_goldi_counts counts; /* where several threads count at once */
};

struct dh_goldi_thread {
	uint32_t id;
	uint32_t element;
	uint32_t open;	  /* origin of its present frame, or 0 for none yet */
	uint32_t handed;  /* references to it that were taken from the loan */
	uint64_t learned; /* position after the last cell that leads to this thread */
	uint64_t begun;	  /* position from which on the thread exists */
	uint64_t root;	  /* the same of the ancestor that started by itself */
	uint64_t joined;  /* position after its first join or its end, or 0 */
	struct dh_goldi_work *work; /* NULL after its end */
	struct dh_goldi_counts *counts;
	bool retired; /* no event will speak of it: its element is another's later */
};

struct dh_goldi_info {
	uint32_t origin; /* 0: no access */
	uint32_t alock;	 /* 0: none; else see goldilocks.c */
	struct dh_mark mark;
};

struct dh_goldi {
	struct dh_goldi_list list;
	bool shared; /* several threads at once */
	struct dh_goldi_elements elements;
	struct dh_sparse threads;  /* of struct dh_goldi_thread, by id */
	struct dh_stable origins;  /* number 0 is none */
	struct dh_goldi_work work; /* of all threads, unless shared */
	struct dh_lock pool;	       /* protects the three that follow */
	uint32_t origins_made;	       /* the numbers from here on were never used */
	uint32_t origins_used;	       /* those in stocks too */
	uint32_t origins_unused;       /* a list through `merged` */
	struct dh_vec(uint32_t) young; /* those of threads, when last looked at */
	struct dh_vec(uint32_t) aged;  /* by column */
	struct dh_vec(uint32_t) merged;
	struct dh_goldi_matrix matrix;

	size_t limit;	     /* cells at which the oldest half is reclaimed */
	bool limit_fixed;    /* given from outside: does not adapt */
	uint64_t debt;	     /* cells walked since the last collection; atomic */
	uint64_t debt_limit; /* cells that a collection would be as dear as */
	uint32_t merge_at;   /* columns at which equal ones are looked for */
	struct dh_vec(uint32_t) starts; /* scratch of a collection, by cell */

	/* counters */
	struct dh_goldi_counts counts;
	uint64_t cells_reclaimed;
	uint64_t collections;
	uint64_t infos_aged; /* origins that became a column */
	uint64_t settled;    /* origins found settled */
	uint64_t list_peak;  /* most cells at one time */
};

/* Both engines are this, and their cells begin with the info of the last write
 * (goldilocks) or of the last access (goldilocks-paper). */
struct dh_goldi_engine {
	struct dh_engine base;
	struct dh_goldi core;
};

void dh_goldi_init(struct dh_goldi *g);
void dh_goldi_fini(struct dh_goldi *g);

DH_INLINE uint64_t dh_goldi_tail(const struct dh_goldi *g)
{
	return dh_goldi_list_tail(&g->list);
}

/* Adds one to the other, which starts again from zero. */
void dh_goldi_counts_move(struct dh_goldi_counts *to, struct dh_goldi_counts *from);

/* Adds what threads have counted for themselves to the counters; alone. */
void dh_goldi_tally(struct dh_goldi *g);

/* ---- the stream: goldi_rules.c ---- */

/* The engine's hooks of the same names. */
void dh_goldi_start(struct dh_goldi *g, const struct dh_thread *t,
		    const struct dh_thread *parent);
void dh_goldi_sync(struct dh_goldi *g, const struct dh_thread *t,
		   const struct dh_event *ev);

/* The same while others are at work. False, and nothing is done, where it has to be done
 * alone: the step makes an element, or is not one of locks, messages and volatiles. */
bool dh_goldi_sync_shared(struct dh_goldi *g, const struct dh_thread *t,
			  const struct dh_event *ev);

void dh_goldi_forget(struct dh_goldi *g, enum dh_name_kind kind, uint32_t number);
void dh_goldi_end(struct dh_goldi *g, const struct dh_thread *t, bool alone);

/* ---- infos: goldi.c ---- */

DH_INLINE struct dh_goldi_thread *dh_goldi_thread(struct dh_goldi *g,
						  const struct dh_thread *t)
{
	return dh_sparse_get(&g->threads, t->party.id);
}

/* Was the info's access made in the thread's present frame? */
DH_INLINE bool dh_goldi_in_frame(const struct dh_goldi_info *i,
				 const struct dh_goldi_thread *th)
{
	return i->origin != 0 && i->origin == th->open;
}

/* Makes the info speak of an access by t now; the alock is left alone. */
void dh_goldi_info_set(struct dh_goldi *g, struct dh_goldi_info *i,
		       const struct dh_thread *t, const struct dh_access *a);

/* Makes an empty info equal to another. */
void dh_goldi_info_copy(struct dh_goldi *g, struct dh_goldi_info *i,
			const struct dh_goldi_info *from);

/* Makes the info empty. */
void dh_goldi_info_drop(struct dh_goldi *g, struct dh_goldi_info *i);

/* Rule 1: is t in the lockset of the info's access? The info is not empty and not of
 * t itself. Counted. */
bool dh_goldi_before(struct dh_goldi *g, struct dh_goldi_info *i,
		     const struct dh_thread *t);

/* The same, but says no where cells would have to be walked. Not counted. */
bool dh_goldi_known_before(struct dh_goldi *g, struct dh_goldi_info *i,
			   const struct dh_thread *t);

/* ---- origins: goldi_origins.c ---- */

DH_INLINE struct dh_goldi_origin *dh_goldi_origin(const struct dh_goldi *g,
						  uint32_t number)
{
	return dh_stable_get(&g->origins, number, sizeof(struct dh_goldi_origin));
}

DH_INLINE void dh_goldi_origin_ref(const struct dh_goldi *g, uint32_t number)
{
	struct dh_goldi_origin *o = dh_goldi_origin(g, number);
	/* Relaxed: who refers to it anew has a reference, or the frame, already. */
	if (g->shared)
		__atomic_fetch_add(&o->refs, 1, __ATOMIC_RELAXED);
	else
		o->refs++;
}

/* So many references less; (Z). Returns whether there is none left. */
DH_INLINE bool dh_goldi_origin_unref(const struct dh_goldi *g, uint32_t number,
				     uint32_t count)
{
	struct dh_goldi_origin *o = dh_goldi_origin(g, number);
	if (g->shared)
		return __atomic_sub_fetch(&o->refs, count, __ATOMIC_ACQ_REL) == 0;
	return (o->refs -= count) == 0;
}

/* The origin of the thread's present frame. */
uint32_t dh_goldi_frame_origin(struct dh_goldi *g, struct dh_goldi_thread *th);

/* Ends the thread's present frame: what it does next has a lockset of its own. */
void dh_goldi_close_frame(struct dh_goldi *g, struct dh_goldi_thread *th);

/* Frees an origin that nobody refers to and that is in no list. Its number goes to the
 * stock, or where that is NULL or has enough, to the pool. */
void dh_goldi_origin_free(struct dh_goldi *g, struct dh_goldi_work *to, uint32_t number);

/* Alone: puts the young origins of all threads into one list, and frees those, and the
 * merged ones, that nobody refers to. */
void dh_goldi_gather(struct dh_goldi *g);

/* Alone: what the thread has goes to the others. */
void dh_goldi_work_end(struct dh_goldi *g, struct dh_goldi_thread *th);

/* Alone: forgets the thread, whose work has ended. */
void dh_goldi_thread_free(struct dh_goldi *g, struct dh_goldi_thread *th);

void dh_goldi_origins_fini(struct dh_goldi *g);

void dh_goldi_bits_free(struct dh_goldi_origin *o);

/* ---- reclamation: goldi_batch.c ---- */

/* Alone: evaluates every lockset that is behind over the oldest half of the list, and
 * gives these cells back; unless limit and debt_limit were out of date, and are not
 * reached once brought up to date. */
void dh_goldi_collect(struct dh_goldi *g);

DH_INLINE bool dh_goldi_is_due(const struct dh_goldi *g)
{
	return dh_goldi_list_len(&g->list) >= g->limit ||
	       __atomic_load_n(&g->debt, __ATOMIC_RELAXED) >= g->debt_limit;
}

/* ---- inspection, for tests ---- */

/* Fixes the number of cells at which the oldest half is reclaimed, >= 2. */
void dh_goldi_set_limit(struct dh_engine *e, size_t cells);

/* Does the lockset of the access that a variable's cell begins with contain this thread,
 * lock (in either mode), message or volatile now? False for an empty cell. */
bool dh_goldi_lockset_has(struct dh_engine *e, void *cell, enum dh_name_kind kind,
			  uint32_t number);

/* What the engines show of these, as struct dh_counter: what is counted by many threads at
 * once, and what by one alone. */
#define DH_GOLDI_COUNT(name)   DH_GOLDI_SHOWN(name, core.counts.name)
#define DH_GOLDI_COUNTER(name) DH_GOLDI_SHOWN(name, core.name)
#define DH_GOLDI_SHOWN(name, at) {#name, offsetof(struct dh_goldi_engine, at)}

#endif
