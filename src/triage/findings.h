/* SPDX-License-Identifier: MIT */
/*
 * A set of findings, read from any number of files: the JSON lines of `run`, the results
 * of `analyze` and `predict`, reports in JSON (docs/formats). What the files repeat
 * (texts, frames, stacks) is kept once, so that a hundred thousand findings fit in little
 * memory.
 *
 * For the tools: one thread, allocates, no signals.
 */
#ifndef DH_TRIAGE_FINDINGS_H
#define DH_TRIAGE_FINDINGS_H

#include "base/vec.h"
#include "triage/finding.h"

#include <stdio.h>

struct dh_findings;

struct dh_findings *dh_findings_new(void);
void dh_findings_free(struct dh_findings *s); /* with everything in it */

/* Adds what a file has; "-" is standard input. Returns 0, or
 *   -1  the file cannot be read, or a line of it is not what it has to be: what came
 *       before is in the set, and dh_findings_error says what is wrong and where;
 *    1  its last line was cut short, all the others are in the set; the same. */
int dh_findings_read(struct dh_findings *s, const char *path);

/* The same of bytes in memory, which are changed. name stands in messages. */
int dh_findings_parse(struct dh_findings *s, char *bytes, size_t len, const char *name);

/* "FILE:LINE: what is wrong" of the last reading that returned something else than 0. */
const char *dh_findings_error(const struct dh_findings *s);

size_t dh_findings_count(const struct dh_findings *s);
const struct dh_finding *dh_findings_at(const struct dh_findings *s, size_t i);

/* How many variants the reports among the files name. They are no findings: a report says
 * enough to be a baseline, and not enough to be reported again. */
size_t dh_findings_reported(const struct dh_findings *s);
uint64_t dh_findings_reported_as(const struct dh_findings *s, size_t i); /* fingerprint */

size_t dh_findings_runs(const struct dh_findings *s);
const struct dh_finding_run *dh_findings_run(const struct dh_findings *s, size_t i);

/* How many different frames and stacks there are: the numbers in them are below that. */
uint32_t dh_findings_frames(const struct dh_findings *s);
uint32_t dh_findings_stacks(const struct dh_findings *s);

/* Takes out the findings for which keep returns false, once at most; the order stays. */
void dh_findings_filter(struct dh_findings *s,
			bool (*keep)(const struct dh_finding *f, void *with), void *with);

/* What filter has taken out and what it has left change places; the order stays. */
void dh_findings_turn(struct dh_findings *s);

/* Notes the rule that finding i falls under; the text is copied. */
void dh_findings_suppress(struct dh_findings *s, size_t i, const char *rule);

/* A copy of a text that lives as long as the set; equal texts are the same pointer. */
const char *dh_findings_keep(struct dh_findings *s, const char *text);

#endif
