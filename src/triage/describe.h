/* SPDX-License-Identifier: MIT */
/*
 * The words for what findings are made of, the same in every form of a report: "write of
 * 8 bytes", "thread 2 \"pool\"", "heap block of 24 bytes from make_node". Names of the
 * program are in them as they are: a renderer makes them harmless.
 *
 * Pure functions. What does not fit in a phrase is cut.
 */
#ifndef DH_TRIAGE_DESCRIBE_H
#define DH_TRIAGE_DESCRIBE_H

#include "triage/finding.h"

struct dh_phrase {
	char text[640];
};

struct dh_phrase dh_describe_object(const struct dh_finding *f);
/* "write of 8 bytes", "atomic read of 4 bytes", "free", "write" */
struct dh_phrase dh_describe_access(const struct dh_finding_access *a);
/* t may be NULL */
struct dh_phrase dh_describe_thread(const struct dh_finding_thread *t);
/* "bank.c:37:13", the module and offset, or "" */
struct dh_phrase dh_describe_place(const struct dh_finding_frame *f);
/* "audit.last: write in deposit, write in withdraw" */
struct dh_phrase dh_describe_finding(const struct dh_finding *f);
/* The function as it stands in a list: short, without template arguments. */
struct dh_phrase dh_describe_function(const struct dh_finding_access *a);
/* The function of a frame in full, else its place. */
struct dh_phrase dh_describe_frame(const struct dh_finding_frame *f);
/* What a grade claims, a sentence. */
const char *dh_describe_grade(enum dh_grade grade);

#endif
