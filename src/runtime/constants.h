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

#include "base/base.h"

/* Once, while a constructor runs, so that the loader may be asked. */
void dh_constants_note(void);

/* Is it such memory? Any thread, at any time. */
bool dh_constant(uintptr_t addr);

/* This memory can be written from now on, or is other memory: it, and what else is in the
 * same range, starts fresh as memory like any. The caller is `inside`. */
void dh_constants_forget(uintptr_t addr, size_t size);

#endif
