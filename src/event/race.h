/* SPDX-License-Identifier: MIT */
/*
 * A finding as an engine states it: which variable, which two accesses, and the
 * grade of proof. Plain data.
 */
#ifndef DH_EVENT_RACE_H
#define DH_EVENT_RACE_H

#include "base/base.h"

/* Grades, from the surest down; see docs/ARCHITECTURE.md. */
enum dh_grade { DH_OBSERVED, DH_POTENTIAL, DH_PREDICTED };

/* Where an access was: kept in the cells, so that a later access can name it. */
struct dh_mark {
	uint64_t index;  /* of the event */
	uint32_t thread; /* its id, not its slot */
	uint32_t site;
};
_Static_assert(sizeof(struct dh_mark) == 16, "marks fill the cells of big traces");

struct dh_race {
	uint32_t var;
	uint8_t grade;       /* enum dh_grade */
	bool has_first;      /* false where the algorithm does not know */
	bool first_write;
	bool second_write;
	bool has_distance;
	uint32_t distance;   /* MultiRace section 5: time frames of the first access's
				thread that lie between the two; 0 is unordered */
	struct dh_mark first;
	struct dh_mark second;
};

/* "observed", "potential", "predicted". */
const char *dh_grade_text(enum dh_grade g);

#endif
