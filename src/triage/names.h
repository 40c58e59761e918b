/* SPDX-License-Identifier: MIT */
/*
 * Names as they are compared: without what changes from one build to the next. The same
 * function is called `foo`, `foo.part.0`, `void foo<int>(int)` or `foo<int>`, depending
 * on whether it was inlined, cloned, and where its name was found; here it is `foo`. And
 * which frames of a stack are the program's own.
 *
 * Pure functions; they allocate nothing. Names are hostile: any bytes, any length.
 */
#ifndef DH_TRIAGE_NAMES_H
#define DH_TRIAGE_NAMES_H

#include "triage/finding.h"

enum { DH_NAME_MAX = 512 };

struct dh_name {
	size_t len;
	char text[DH_NAME_MAX]; /* ended by a NUL; what is longer is cut */
};

/* A function: no return type, parameters, template arguments, suffixes of clones, tags of
 * the ABI; lambdas and unnamed namespaces are all called the same. */
void dh_name_function(const char *function, struct dh_name *to);

/* A global variable and the part of it: the same, and elements of an array are one. part
 * may be NULL. */
void dh_name_variable(const char *name, const char *part, struct dh_name *to);

/* What a frame is compared by: its function, else its file without the folder, else where
 * it is in its module. */
void dh_name_frame(const struct dh_finding_frame *f, struct dh_name *to);

/* Is it code of the C or C++ library, or of a detector's runtime? */
bool dh_frame_is_library(const struct dh_finding_frame *f);

/* The index of the innermost frame from `from` on that is the program's own; `from` where
 * there is none. */
uint32_t dh_stack_own(const struct dh_finding_stack *s, uint32_t from);

/* That frame; NULL where the stack has none at all. */
const struct dh_finding_frame *dh_stack_where(const struct dh_finding_stack *s);

/* The own frame that an object is known by: that of its allocation, past functions that
 * do nothing but allocate (their names say so). NULL where there is none. */
const struct dh_finding_frame *dh_stack_allocator(const struct dh_finding_stack *s);

#endif
