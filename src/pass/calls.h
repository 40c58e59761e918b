/* SPDX-License-Identifier: MIT */
/*
 * The calls by which instrumented code tells of its accesses, and which other
 * instructions are no obstacle to telling them earlier.
 */
#ifndef DH_PASS_CALLS_H
#define DH_PASS_CALLS_H

#include "pass/llvm.h"

enum dh_call_kind {
	DH_CALL_NONE,	/* no such call */
	DH_CALL_ACCESS, /* __tsan_read4 and its kin */
	DH_CALL_LOOP,	/* of all rounds of a loop: __deadheat_loop_read4 */
	DH_CALL_NEST,	/* of two, one in the other: __deadheat_loop_nest_read4 */
};

struct dh_call {
	enum dh_call_kind kind;
	bool write;
	unsigned size;
	bool loose; /* of an access that need not be aligned */
};

enum { DH_LOOP_ARGUMENTS = 3, DH_NEST_ARGUMENTS = 5 };

struct dh_call dh_call_of(struct ll_value *instruction);

/* Does it do nothing but tell a debugger where variables are? */
bool dh_is_for_debugger(struct ll_value *instruction);

/* Can the instruction neither order threads nor wait, nor leave the function? */
bool dh_is_quiet(struct ll_value *instruction);

/* Do they tell that the function is entered, and left? */
bool dh_is_entry(struct ll_value *instruction);
bool dh_is_exit(struct ll_value *instruction);

/* Is it of interest to who is called, or told, by which ways it was come to? Not of
 * single aligned accesses, which can be told with their caller: see dh_leaf_of(). */
bool dh_needs_frame(struct ll_value *instruction);

/* What the functions are for by which a module calls the runtime's (runtime/loops.h). */
enum dh_telling { DH_TELL_LOOP, DH_TELL_NEST, DH_TELL_PART, DH_TELL_PARTS };

/* Such a function, of a pointer and two numbers (for a nest, four): it is in each module
 * that uses it, and calls the runtime's if there is one. access: but for DH_TELL_PARTS.
 */
struct ll_value *dh_telling_of(struct ll_context *context, struct ll_module *module,
			       enum dh_telling what, struct dh_call access,
			       struct ll_type **type);

/* The function that tells of an access and of its function's entry and exit at once
 * (runtime/leaf.h): of the address and the place where the function was called. */
struct ll_value *dh_leaf_of(struct ll_context *context, struct ll_module *module,
			    struct dh_call access, struct ll_type **type);

#endif
