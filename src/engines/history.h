/* SPDX-License-Identifier: MIT */
/*
 * MultiRace's access history of one variable: for each thread (slot) the last time
 * frame in which it read and in which it wrote, with where that was. Used by `djit`
 * and `multirace`. Zero-initialised is empty.
 */
#ifndef DH_ENGINES_HISTORY_H
#define DH_ENGINES_HISTORY_H

#include "event/engine.h"

struct dh_history_entry {
	uint32_t slot;
	uint32_t read;	/* ar_v[t]: clock of the last logged read; 0: none */
	uint32_t write; /* aw_v[t] */
	struct dh_mark read_mark;
	struct dh_mark write_mark;
};

/* The thread that accessed last is at hand; most variables have no other. One line of the
 * processor's cache in all. */
struct dh_history {
	struct dh_history_entry last;
	struct dh_history_entry *others;
	uint32_t len; /* entries, the last thread's too */
	uint32_t cap; /* room for others */
};
_Static_assert(sizeof(struct dh_history) == 64, "a cell of djit is one cache line");

/* Logs an access if it is the first of its kind in its time frame and no write of
 * the frame covers it (MultiRace, section 3.2.1). Returns whether it was logged. */
bool dh_history_log(struct dh_history *h, const struct dh_thread *t,
		    const struct dh_access *a);

/* Figure 3, step 2: reports every thread's last conflicting access that is not
 * ordered before this one. Returns how many. */
unsigned dh_history_check(const struct dh_history *h, struct dh_engine *e,
			  const struct dh_thread *t, const struct dh_access *a);

/* The latest conflicting access by another thread, ordered or not: fills in first,
 * first_write, has_first, grade and distance of the race. False where there is none. */
bool dh_history_rival(const struct dh_history *h, const struct dh_thread *t,
		      const struct dh_access *a, struct dh_race *race);

/* Makes an empty history equal to another. */
void dh_history_copy(struct dh_history *h, const struct dh_history *from);

void dh_history_free(struct dh_history *h);

/* The same two for an engine whose cell is a history and nothing else (engine.h). */
void dh_history_reset_cell(struct dh_engine *e, void *cell);
void dh_history_copy_cell(struct dh_engine *e, void *to, const void *from);

#endif
