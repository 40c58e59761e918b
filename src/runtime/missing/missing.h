/* SPDX-License-Identifier: MIT */
/*
 * Missing methods: calls from instrumented code of functions that are not, whose inside
 * nobody sees. An engine that wants to know of them (missing_begin in observer.h) is told
 * when one begins, with all that it could use to synchronise, and when it ends. For an
 * engine that does not ask, nothing is hooked.
 *
 *   plt.c         the slots through which instrumented modules call others
 *   wanted.c      which functions count; missing.def
 *   trampoline.c  the way there and back
 *   calls.c       what a thread is in
 *   reach.c       what can be reached from the arguments; objects.c, globals.c, stamps.c
 *
 * Context: as said with each.
 */
#ifndef DH_RUNTIME_MISSING_MISSING_H
#define DH_RUNTIME_MISSING_MISSING_H

#include "base/base.h"

/* A module may have come: hooks what has not been. Called by constructors of instrumented
 * modules, so with the loader's lock held. */
void dh_missing_note(void);

/* A library is gone: forgets it. */
void dh_missing_modules_gone(void);

/* Of include/deadheat.h, where the pointers end with DH_MISSING_END. sp: the caller's. */
#define DH_MISSING_END ((uint64_t)-1)
void dh_missing_annotated_begin(const char *name, const uint64_t *words, size_t count,
				uint64_t pc, uintptr_t sp);
void dh_missing_annotated_end(void);
void dh_missing_global(uintptr_t addr, size_t size);

/* Does an engine ask? */
bool dh_missing_wanted(void);

struct dh_missing_stats {
	uint64_t functions; /* hooked */
	uint64_t unhooked;  /* that should have been: too many, or not possible here */
	uint64_t calls;	    /* told */
};
void dh_missing_get_stats(struct dh_missing_stats *s);

#endif
