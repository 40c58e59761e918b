/* SPDX-License-Identifier: MIT */
/*
 * What calls reach. A call whose inside is missing can reach a million variables, and
 * most of these are reached by exactly the same calls: they make one class. A set is a
 * number here, and all that is known of it is which classes it has.
 *
 * The slider (window.h) is told of each call when it begins and of its end when that
 * leaves the window. Classes are parted when a set comes that has a part of one, and put
 * together again when the sets that told them apart are gone. So a set costs its size
 * when a call brings it, and a window what its sets have of classes, however large they
 * are.
 *
 * Memory: two words for each variable up to the last that was reached, and the classes
 * of the sets in use. Not for concurrent use. Allocates.
 */
#ifndef DH_PREDICT_REACH_H
#define DH_PREDICT_REACH_H

#include "base/map.h"
#include "base/vec.h"

/* Invariants: class 0 is that of the variables in no set. A class that was put into
 * another one, or into class 0, has no members and no sets; `into` leads to the one that
 * has them. Of two classes that are in the same sets the lists of sets are the same. */
struct dh_reach_class {
	uint32_t into;		      /* itself, where it is in use */
	uint32_t size;		      /* variables */
	struct dh_vec(uint32_t) sets; /* that have it, the oldest first */
	uint32_t touched;	      /* for one set at a time: how many of its */
	uint32_t part;		      /* variables are here; the class for these */
	uint32_t seen;		      /* the number of the last look, see `look` */
};

struct dh_reach_set {
	uint64_t hash;
	uint32_t size; /* variables */
	uint32_t uses; /* 0: nobody has it any more, or the number is free */
};

struct dh_reach_var {
	uint32_t class;
	uint32_t seen;
};

struct dh_reach {
	struct dh_vec(struct dh_reach_set) sets; /* from 1 */
	struct dh_vec(uint32_t) free;		 /* numbers of sets */
	struct dh_vec(uint32_t) dead;		 /* numbers whose uses came to 0 */
	struct dh_map by_hash;			 /* -> set */
	struct dh_vec(struct dh_reach_class) classes;
	struct dh_vec(uint32_t) live;	 /* classes in use, but for class 0 */
	struct dh_vec(uint32_t) touched; /* classes, of one set at a time */
	struct dh_vec(struct dh_reach_var) vars;
	uint32_t look; /* counts: marks older than it do not count */
};

/* The classes of a set, in a pool. */
struct dh_reach_list {
	uint32_t at, count;
};

struct dh_reach_lists dh_vec(struct dh_reach_list);
struct dh_reach_pool dh_vec(uint32_t);

/* All zero is empty. */
void dh_reach_free(struct dh_reach *r);

/* The number of the set of these variables, from 1, with one more use; 0 where there are
 * none. A variable may be listed more than once. */
uint32_t dh_reach_use(struct dh_reach *r, const uint32_t *vars, uint32_t count);

/* One use less. set may be 0. */
void dh_reach_drop(struct dh_reach *r, uint32_t set);

/* Forgets what only sets without uses told apart. */
void dh_reach_tidy(struct dh_reach *r);

/* Lists the classes of all sets: lists->at[set] says where in the pool. Both are the
 * caller's to free, and empty before. After dh_reach_tidy(). */
void dh_reach_tell(const struct dh_reach *r, struct dh_reach_lists *lists,
		   struct dh_reach_pool *pool);

/* The class of a variable: a set has the variable if and only if it has the class. 0:
 * it is in none. */
uint32_t dh_reach_class(struct dh_reach *r, uint32_t var);

#endif
