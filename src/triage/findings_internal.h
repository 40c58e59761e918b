/* SPDX-License-Identifier: MIT */
/*
 * What the files behind findings.h share: the set itself, and a reader for each kind of
 * line. findings.c has the set and the files, read_common.c what both kinds have,
 * read_run.c the lines of `run`, read_trace.c those of `analyze` and `predict`,
 * read_report.c those of `report`.
 */
#ifndef DH_TRIAGE_FINDINGS_INTERNAL_H
#define DH_TRIAGE_FINDINGS_INTERNAL_H

#include "report/json_read.h"
#include "triage/findings.h"
#include "triage/pool.h"

/* A finding that a report has told of: all that a baseline needs. */
struct dh_findings_reported {
	uint64_t fingerprint;
	enum dh_grade grade;
};

struct dh_findings {
	struct dh_pool pool;
	struct dh_vec(struct dh_finding *) findings, aside;
	struct dh_vec(struct dh_finding_run *) runs;
	struct dh_vec(struct dh_findings_reported) reported;
	struct dh_json_reader json;
	struct dh_vec(
	    const struct dh_finding_frame *) frames; /* of the stack being read */
	/* of the file being read */
	const char *file;
	uint64_t line;
	struct dh_finding_run *run; /* the last one; NULL: none yet */
	struct dh_map processes;    /* process to its run */
	struct dh_map serials;	    /* hash of run and serial to the finding */
	char *error;
};

/* Each reads a value as one line of the file has it. False and an error where it is not
 * what it has to be. */
bool dh_findings_read_run(struct dh_findings *s, const struct dh_json_value *v);
bool dh_findings_read_race(struct dh_findings *s, const struct dh_json_value *v);
bool dh_findings_read_further(struct dh_findings *s, const struct dh_json_value *v);
bool dh_findings_read_evidence(struct dh_findings *s, const struct dh_json_value *v);
bool dh_findings_read_summary(struct dh_findings *s, const struct dh_json_value *v);
bool dh_findings_read_analysis(struct dh_findings *s, const struct dh_json_value *v);
bool dh_findings_read_report(struct dh_findings *s, const struct dh_json_value *v);
bool dh_findings_read_prediction(struct dh_findings *s, const struct dh_json_value *v);

/* ---- what they share ---- */

/* A new finding or run, in the set. */
struct dh_finding *dh_findings_add(struct dh_findings *s, struct dh_finding_run *run);
struct dh_finding_run *dh_findings_add_run(struct dh_findings *s);

/* Sets the error to "FILE:LINE: ..." and returns false. */
bool dh_findings_fail(struct dh_findings *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The pool's copy of a text value; NULL where it is none, or empty. */
const char *dh_findings_text(struct dh_findings *s, const struct dh_json_value *v);
/* The number as text; NULL where it is none. */
const char *dh_findings_digits(struct dh_findings *s, const struct dh_json_value *v);

bool dh_findings_grade(struct dh_findings *s, const struct dh_json_value *race,
		       enum dh_grade *grade);

/* NULL where v is no array. */
const struct dh_finding_stack *dh_findings_stack(struct dh_findings *s,
						 const struct dh_json_value *v);
/* A stack of one place as a trace names it, "bank.c:37"; of none where it is empty. */
const struct dh_finding_stack *dh_findings_place(struct dh_findings *s, const char *loc);

struct dh_finding_variable dh_findings_variable(struct dh_findings *s,
						const struct dh_json_value *v);

/* How many children. */
size_t dh_findings_length(const struct dh_json_value *v);

#endif
