/* SPDX-License-Identifier: MIT */
/* What suppress.c (matching) and suppress_read.c (files) share. */
#ifndef DH_TRIAGE_SUPPRESS_INTERNAL_H
#define DH_TRIAGE_SUPPRESS_INTERNAL_H

#include "base/vec.h"
#include "triage/suppress.h"

struct dh_rule;

struct dh_rule_kind {
	const char *name;
	bool (*matches)(const struct dh_rule *r, const struct dh_finding *f);
	const char *idle; /* see struct dh_suppress_rule */
};

extern const struct dh_rule_kind dh_rule_kinds[];
extern const size_t dh_rule_kind_count;

struct dh_rule {
	const struct dh_rule_kind *kind;
	char *pattern; /* all texts are its own */
	char *other;   /* of a pair; else NULL */
	struct dh_suppress_rule shown;
};

struct dh_suppressions {
	struct dh_vec(struct dh_rule) rules;
	char *error;
};

#endif
