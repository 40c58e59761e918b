/* SPDX-License-Identifier: MIT */
/*
 * The first look at a recording: who uses which memory, and in which pieces. What is
 * known of a granule when the whole run has been seen decides how its accesses are
 * written down:
 *
 *   - a granule whose bytes are always used together is one variable; one whose bytes
 *     are used apart is cut wherever an access began or ended, so that two accesses have
 *     a variable in common exactly if they have a byte in common;
 *   - memory that only one thread used, or that nobody wrote to, cannot be part of a race
 *     and keeps no other events in order: its accesses are left out. What a thread does
 *     while there is no other (company.h) does not count as use.
 *
 * All that is for one life of the memory: from where it is allocated, or otherwise starts
 * afresh, to the next time.
 *
 * One thread. Takes eight bytes for each granule in each life.
 */
#ifndef DH_RECORD_SURVEY_H
#define DH_RECORD_SURVEY_H

#include "base/vec.h"
#include "record/blocks.h"
#include "record/company.h"
#include "record/places.h"
#include "report/symbols.h"
#include "trace/ring.h"

enum dh_use_flags {
	DH_USE_SHARED = 1, /* by several threads */
	DH_USE_WRITTEN = 2,
	DH_USE_PLAIN = 4,
	DH_USE_ATOMIC = 8,
	DH_USE_REACHED = 16, /* by a call of a function that is not seen */
};

struct dh_use {
	uint32_t thread; /* the first, plus one; 0: none yet */
	uint8_t flags;
	uint8_t cuts; /* a bit for each byte but the first that a piece begins with */
};
_Static_assert(sizeof(struct dh_use) == 8, "one for each granule and life");

/* A granule of a heap block that matters. */
struct dh_given {
	uint64_t block; /* its serial number */
	uint64_t address;
	uint32_t number;
};

struct dh_survey {
	struct dh_places places;
	struct dh_company company;
	struct dh_blocks blocks;
	struct dh_vec(struct dh_given) given;
	struct dh_vec(struct dh_use) uses; /* by number */
	struct dh_symbols *symbols;	   /* of the modules told of so far */
	struct dh_map reached;	    /* number of a range's first granule -> hash of the
				       range and the last thread that reached it */
	struct dh_map thread_names; /* thread -> char *, from malloc */
	uint64_t records;
	char *folder; /* that the program was started in, from malloc; NULL: not known */
	struct dh_raw stamp; /* of the next module: when it was changed, and its size */
	bool all;	     /* accesses that cannot race are wanted, too */
};

void dh_survey_init(struct dh_survey *s);
void dh_survey_free(struct dh_survey *s);

/* Looks at a run of records of a thread. */
void dh_survey_look(struct dh_survey *s, uint32_t thread, const struct dh_raw *at,
		    size_t n);

/* What a file is known again by: in head when it was changed, in object its size. False
 * where there is none. */
bool dh_survey_stamp(const char *path, struct dh_raw *out);

/* All has been seen. */
void dh_survey_finish(struct dh_survey *s);

/* After that: where the granules of a block begin in `given`, if it has any. */
size_t dh_survey_given(const struct dh_survey *s, uint64_t block);

/* Do accesses to it belong into the trace? */
DH_INLINE bool dh_use_matters(const struct dh_survey *s, const struct dh_use *u)
{
	return (u->flags & DH_USE_SHARED &&
		u->flags & (DH_USE_WRITTEN | DH_USE_REACHED)) ||
	       s->all;
}

/* The end of the piece that begins at a byte of the granule, 1 to 8. */
DH_INLINE unsigned dh_use_piece_end(const struct dh_use *u, unsigned from)
{
	unsigned rest = u->cuts >> (from + 1);
	return rest ? from + 1 + (unsigned)__builtin_ctz(rest) : 8;
}

#endif
