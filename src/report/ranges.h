/* SPDX-License-Identifier: MIT */
/*
 * Where in a program or library the functions, source files and global variables are that
 * have certain names: for annotations, which are by name, to be applied by who knows only
 * addresses (runtime/untracked.h). For the tools: one thread, allocates.
 */
#ifndef DH_REPORT_RANGES_H
#define DH_REPORT_RANGES_H

#include "base/vec.h"

enum dh_range_rule_kind {
	DH_RULE_VARIABLE, /* global, or static in a function */
	DH_RULE_FUNCTION, /* without parameters, or with them */
	DH_RULE_FILE,	  /* a source file that was compiled, with or without folders */
	DH_RULE_TYPE,	  /* variables of a type of this name, or arrays of it */
};

struct dh_range_rule {
	enum dh_range_rule_kind kind;
	const char *pattern; /* of whole names: base/glob.h */
	uint64_t found;	     /* things that have the name */
};

/* Bytes, from the lowest address of the module. */
struct dh_range {
	uint64_t start, end;
	bool code; /* else data */
};
struct dh_ranges dh_vec(struct dh_range);

/* Appends what the rules name in the file, in order and without overlaps. False where it
 * cannot be read. */
bool dh_ranges_find(const char *path, struct dh_range_rule *rules, size_t count,
		    struct dh_ranges *to);

#endif
