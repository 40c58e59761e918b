/* SPDX-License-Identifier: MIT */
/*
 * Causes: what is left of many findings when those that say the same are one. Findings
 * with the same fingerprint are a variant; variants that are alike in their stacks and
 * object are a cause, which is what a report lists. Also the interface of the renderers,
 * which get causes and nothing else.
 *
 * A variant and a cause point into the set of findings, which has to outlive them. For
 * the tools: one thread, allocates.
 */
#ifndef DH_TRIAGE_CAUSE_H
#define DH_TRIAGE_CAUSE_H

#include "triage/findings.h"
#include "triage/fingerprint.h"

/* ---- patterns ---- */

/* In the order of how much harm is to be expected: see dh_causes_make. */
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
};

/* ---- causes ---- */

struct dh_variant {
	uint64_t fingerprint;
	const struct dh_finding *sample; /* the most telling one, shown for all */
	uint64_t count;			 /* findings */
	uint32_t runs;			 /* that had one */
	const struct dh_finding_run *first, *last; /* of these, by time or else as read */
	bool is_new;		/* not in the baseline; true where there is none */
	uint32_t findings_from; /* in dh_causes.findings: `count` of them, as read */
};

struct dh_cause {
	struct dh_fingerprint_text id; /* of its first variant */
	const char *title;   /* "audit.last: write in deposit, write in withdraw" */
	const char *common;  /* what all variants have in common, where there are several:
				"function `deposit`" */
	enum dh_grade grade; /* the surest of its variants' */
	size_t variants_len; /* at least 1; the most telling first */
	const struct dh_variant *variants;
	uint64_t count;
	uint32_t runs;
	const struct dh_finding_run *first, *last;
	bool is_new; /* a variant is */
	size_t patterns_len;
	const struct dh_pattern *patterns; /* of all variants; the most harmful first */
};

/* In the order of rank. Which engine and which run a finding is of does not matter. */
struct dh_causes {
	size_t len;
	struct dh_cause *at;
	const struct dh_findings *from;
	const struct dh_finding **findings; /* by variant */
	uint64_t count;			    /* findings in all */
	bool has_baseline;
	size_t gone_len;
	const struct dh_cause *gone; /* in the baseline and not here; for diff */
	struct dh_causes_store *store;
};

struct dh_excerpts;

/* Merges, classes, finds patterns, ranks. baseline may be NULL. Patterns read source
 * lines through excerpts (excerpt.h); NULL: they go without.
 *
 * Rank, each only where all before are equal: grade (observed, predicted, potential);
 * field-level over object-level; both stacks known over one; the most harmful pattern by
 * the order of enum dh_pattern_kind, where causes without one stand between COUNTER and
 * FLAG; runs; findings; id. */
struct dh_causes *dh_causes_make(struct dh_findings *s,
				 const struct dh_findings *baseline,
				 struct dh_excerpts *excerpts);
void dh_causes_free(struct dh_causes *c);

/* The cause that has a variant whose fingerprint begins with these digits. NULL where
 * there is none, or *several is set where more than one cause has. */
const struct dh_cause *dh_causes_find(const struct dh_causes *c, const char *id,
				      bool *several);

#endif
