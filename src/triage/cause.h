/* SPDX-License-Identifier: MIT */
/*
 * Causes: what is left of many findings when those that say the same are one. Findings
 * with the same fingerprint are a variant; variants that are alike in their stacks and
 * object (classes.h) are a cause, which is what a report lists.
 *
 * A variant and a cause point into the set of findings, which has to outlive them. For
 * the tools: one thread, allocates.
 */
#ifndef DH_TRIAGE_CAUSE_H
#define DH_TRIAGE_CAUSE_H

#include "triage/findings.h"
#include "triage/fingerprint.h"
#include "triage/pattern.h"

/* When and how often. */
struct dh_sightings {
	uint64_t count;			   /* findings */
	uint64_t graded[DH_PREDICTED + 1]; /* of these, by enum dh_grade */
	uint64_t further;		   /* races that were added to these */
	uint32_t runs;			   /* that had one */
	const struct dh_finding_run *first,
	    *last; /* by time, or else as they were read */
};

struct dh_variant {
	struct dh_fingerprint_text id;
	uint64_t fingerprint;
	enum dh_grade grade;		 /* the surest of its findings' */
	const struct dh_finding *sample; /* the most telling one, shown for all */
	const char *title; /* "audit.last: write in deposit, write in withdraw" */
	struct dh_sightings seen;
	bool known;  /* the baseline has it */
	bool is_new; /* it has not, or is less sure of it; true without one */
	const struct dh_finding *const
	    *findings; /* seen.count of them, as they were read */
	size_t patterns_len;
	const struct dh_pattern *patterns; /* the most harmful first */
};

struct dh_cause {
	struct dh_fingerprint_text id; /* of its first variant */
	const char *title;	       /* of that too */
	enum dh_grade grade;	       /* the surest of its variants' */
	size_t variants_len;	       /* at least 1; by rank */
	const struct dh_variant *variants;
	struct dh_sightings seen; /* of all variants */
	bool known;		  /* a variant is */
	bool is_new;		  /* a variant is */
	size_t engines_len;
	const char *const *engines; /* that found it, each once */
	const char *common; /* what all variants have in common, where there are several:
			       the name of a function or an object */
	bool common_function;
	size_t patterns_len;
	const struct dh_pattern *patterns; /* of all variants, each once, the most harmful
					      first */
};

/* In the order of rank. */
struct dh_causes {
	size_t len;
	const struct dh_cause *at;
	const struct dh_findings *from;
	uint64_t count; /* findings in all */
	bool has_baseline;
	struct dh_causes_store *store; /* private */
};

/* Merges, classes, finds patterns, ranks. baseline may be NULL. Patterns read source
 * lines through excerpts; NULL: they go without.
 *
 * Rank, each only where all before are equal: grade (observed, predicted, potential);
 * field-level over object-level; both stacks known over one; the most harmful pattern by
 * the order of enum dh_pattern_kind, where what has none stands between COUNTER and FLAG;
 * runs; findings, with the races that were added to them; id. */
struct dh_causes *dh_causes_make(const struct dh_findings *s,
				 const struct dh_findings *baseline,
				 struct dh_excerpts *excerpts);
void dh_causes_free(struct dh_causes *c);

/* The cause that has a variant whose id begins with these digits. NULL where there is
 * none, or where more than one cause has, and then *several is set. */
const struct dh_cause *dh_causes_find(const struct dh_causes *c, const char *id,
				      bool *several);

/* 0 for the surest: observed, predicted, potential. */
unsigned dh_grade_rank(enum dh_grade g);

#endif
