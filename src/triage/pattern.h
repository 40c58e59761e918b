/* SPDX-License-Identifier: MIT */
/*
 * Patterns: kinds of mistake that a finding shows by what is known of it: the evidence
 * that the runtime gathered, the operations, the locks, and the words of the racing lines
 * where the source can be read. Each errs on the side of silence; none hides a finding.
 * docs/design/triage.md has the exact conditions.
 *
 * For the tools: one thread, allocates from the pool it is given.
 */
#ifndef DH_TRIAGE_PATTERN_H
#define DH_TRIAGE_PATTERN_H

#include "triage/excerpt.h"
#include "triage/finding.h"
#include "triage/pool.h"

/* In the order of how much harm is to be expected. */
enum dh_pattern_kind {
	DH_PATTERN_USE_AFTER_FREE,
	DH_PATTERN_MISSING_LOCK,
	DH_PATTERN_DOUBLE_CHECKED,
	DH_PATTERN_PUBLICATION,
	DH_PATTERN_LAZY_INIT,
	DH_PATTERN_COUNTER,
	DH_PATTERN_FLAG,
	DH_PATTERN_SAME_VALUE,
	DH_PATTERNS
};

/* What is the same wherever a pattern is found. */
struct dh_pattern_text {
	const char *name;   /* for programs: "missing-lock" */
	const char *title;  /* for people: "a lock is missing" */
	const char *advice; /* a sentence or two */
};
extern const struct dh_pattern_text dh_pattern_texts[DH_PATTERNS];

struct dh_pattern {
	enum dh_pattern_kind kind;
	const char
	    *because; /* what it was seen by: "97 of 100 accesses hold `cache_lock`,
			 these did not"; may hold names of the program */
	/* MISSING_LOCK, where two accesses are all there is: a write made with locks
	 * held, and one made with none. Else NULL. */
	const struct dh_finding_access *holder, *bare;
};

/* Finds the patterns of a finding, in their order, each once; returns how many. The
 * source is read through excerpts; NULL: it is not. */
size_t dh_patterns_find(const struct dh_finding *f, struct dh_excerpts *excerpts,
			struct dh_pool *pool, struct dh_pattern to[DH_PATTERNS]);

/* All findings of a cause, asked about one pattern after the other. What was found out
 * about a lock is kept; the map is freed by the owner. */
struct dh_pattern_jury {
	const struct dh_finding *const *findings;
	uint64_t count;
	struct dh_map verdicts; /* hash of a lock's name to 1 yes, 2 no */
};

/* Settles which lock a pattern with a holder is about: one that no access speaks against
 * which holds other locks, and that some write holds for sure. False where there is none.
 */
bool dh_pattern_settle(struct dh_pattern *p, struct dh_pattern_jury *jury,
		       struct dh_pool *pool);

#endif
