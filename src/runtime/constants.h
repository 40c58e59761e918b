/* SPDX-License-Identifier: MIT */
/*
 * Memory that cannot be written: the read-only segments of the modules that the program
 * was started with, and what the loader has protected after relocating them. Tables of
 * constants are read by all threads, at every offset and from everywhere, and would need
 * more records than anything else; but what nobody can write has no races. Once a granule
 * of such memory is shared by readers, its cell gets the tag DH_TAG_CONST (access.h), and
 * reads of it are over with the look at that.
 *
 * Modules that are loaded later may go again, so they are not among these.
 */
#ifndef DH_RUNTIME_CONSTANTS_H
#define DH_RUNTIME_CONSTANTS_H

#include "runtime/hot.h"
#include "base/base.h"

/* Once, while a constructor runs, so that the loader may be asked. */
void dh_constants_note(void);

/* Is it such memory? Any thread, at any time. */
bool dh_constant(uintptr_t addr);

/* Two stretches of addresses that have all of it: the program's, and the libraries'. The heap
 * and stacks are mostly in neither. */
struct dh_constant_span {
	uintptr_t start, size;
};
enum { DH_CONSTANT_SPANS = 2 };
extern DH_HOT_VISIBLE struct dh_constant_span
    dh_constant_spans[DH_CONSTANT_SPANS] DH_SHARED("constants");

/* Can it be? */
DH_INLINE bool dh_maybe_constant(uintptr_t addr)
{
	const struct dh_constant_span *s = dh_constant_spans;
	return addr - s[0].start < s[0].size || addr - s[1].start < s[1].size;
}

/* This memory can be written from now on, or is other memory: it, and what else is in the
 * same range, starts fresh as memory like any. The caller is `inside`. */
void dh_constants_forget(uintptr_t addr, size_t size);

#endif
