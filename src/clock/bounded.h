/* SPDX-License-Identifier: MIT */
/*
 * A vector clock of bounded size (RaceTrack, section 3.5): it remembers the
 * order in which its entries were last raised, and when it would exceed its
 * limit it forgets the older half and counts what it forgot. Forgetting order
 * can only make accesses look concurrent that were not, so such a clock serves
 * the weak relation, whose findings are `potential`, and never the strong one.
 *
 * Sorted by slot. Belongs to one thread. Allocates.
 */
#ifndef DH_CLOCK_BOUNDED_H
#define DH_CLOCK_BOUNDED_H

#include "base/vec.h"

struct dh_vc;

struct dh_bounded_entry {
	uint32_t slot;
	uint32_t clock;
	uint64_t stamp; /* when last raised; larger is younger */
};

struct dh_bounded {
	struct dh_vec(struct dh_bounded_entry) entries; /* sorted by slot */
	uint32_t limit;                                 /* most entries, >= 2 */
	uint64_t stamps;                                /* the youngest stamp */
	uint64_t dropped;                               /* entries forgotten so far */
};

/* An empty clock. limit is raised to 2 where it is less. */
void dh_bounded_init(struct dh_bounded *b, uint32_t limit);
void dh_bounded_free(struct dh_bounded *b);

/* The clock of a slot; 0 where nothing is known (any more). */
uint32_t dh_bounded_get(const struct dh_bounded *b, uint32_t slot);

/* Raises an entry; a lower clock than the present one changes nothing. Returns
 * whether it changed. */
bool dh_bounded_raise(struct dh_bounded *b, uint32_t slot, uint32_t clock);

/* Raises every entry to that of v. Returns whether anything changed. */
bool dh_bounded_join(struct dh_bounded *b, const struct dh_vc *v);

#endif
