/* SPDX-License-Identifier: MIT */
/*
 * What lies at an address, for reach.h: a block of the heap, a variable of a module, or
 * memory of another kind.
 *
 * Context: `inside`, any thread. Takes the lock of globals.h, allocates.
 */
#ifndef DH_RUNTIME_MISSING_OBJECTS_H
#define DH_RUNTIME_MISSING_OBJECTS_H

#include "runtime/thread.h"

struct dh_object {
	uintptr_t start;
	size_t size;
	bool whole; /* a block or variable; else the start is where it was pointed to, and
		     * the size a guess */
};

/* What there is to know for it: whose stack it may be on, from where; and how often the
 * kernel may still be asked. */
struct dh_looking {
	const struct dh_self *t;
	uintptr_t sp;
	uint32_t asks;
	bool refused; /* to ask once more */
};

/* Is it an address at all? Small numbers are not, nor what is not the program's half. */
DH_INLINE bool dh_may_point(uint64_t word)
{
	return word >= 1 << 16 && word >> 47 == 0;
}

/* False where there is nothing that could be written to, or, if only whole objects are
 * asked for, none of these. */
bool dh_object_at(struct dh_looking *l, uintptr_t addr, bool only_whole,
		  struct dh_object *out);

/* Copies n bytes that may not be there: false if so. The thread has state. */
bool dh_peek(uintptr_t from, void *to, size_t n);

#endif
