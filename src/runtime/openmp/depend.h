/* SPDX-License-Identifier: MIT */
/*
 * Dependences among the children of one task: for each address, the ends of those that
 * the next has to come after. A task learns from here when it begins, for by then all
 * that it depends on have ended, and puts its own end here for those that wait for it.
 *
 *   in        comes after the last out and the inoutsets since
 *   out       after all; those who come later need to know no other
 *   inoutset  after the last out and the ins since
 *
 * Concurrency: under the lock of the team. The calling thread is `inside`.
 */
#ifndef DH_RUNTIME_OPENMP_DEPEND_H
#define DH_RUNTIME_OPENMP_DEPEND_H

#include "base/map.h"
#include "base/vec.h"
#include "runtime/openmp/openmp.h"
#include "runtime/openmp/strand.h"

struct dh_omp_place {
	struct dh_moment *out;	      /* the end of the last one, or NULL; */
	struct dh_strand *by;	      /* what that ran in, or NULL */
	struct dh_clockset ins, sets; /* the ends since */
	struct dh_clockset fulfilled; /* what the event of `out` brought after its end */
};

struct dh_omp_places {
	struct dh_map by_address; /* to index */
	struct dh_vec(struct dh_omp_place) at;
};

/* The calling thread comes after all that these wait for. */
void dh_omp_places_learn(struct dh_omp_places *p, struct dh_self *t,
			 const struct dh_omp_depend *depend, size_t depends);

/* What one of the tasks ran in that these wait for, taken out of the pool for the task
 * that has them; NULL where others use them all. */
struct dh_strand *dh_omp_places_claim(struct dh_omp_places *p,
				      const struct dh_omp_depend *depend, size_t depends);

/* A task with these has ended, in the calling thread, whose time frame must end. s: what
 * it ran in, or NULL. late: it had been put here before, and its event was fulfilled only
 * now. */
void dh_omp_places_put(struct dh_omp_places *p, struct dh_self *t, struct dh_strand *s,
		       const struct dh_omp_depend *depend, size_t depends, bool late);

void dh_omp_places_free(struct dh_omp_places *p);

#endif
