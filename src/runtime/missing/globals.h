/* SPDX-License-Identifier: MIT */
/*
 * The variables of the loaded modules: which addresses can be written to, and how far a
 * variable goes, by the symbol table in its file where that is there. A table is read
 * when something in its module is first asked for.
 *
 * Concurrency: any thread; one lock inside. Callers are `inside` the runtime. Allocates.
 */
#ifndef DH_RUNTIME_MISSING_GLOBALS_H
#define DH_RUNTIME_MISSING_GLOBALS_H

#include "runtime/dynamic.h"
#include "runtime/missing/objects.h"

/* A module has been loaded. */
void dh_globals_add(const struct dl_phdr_info *m);

/* Those that cover none of the present modules are forgotten: `is` says so of one. */
void dh_globals_keep(bool (*is)(uintptr_t base));

enum dh_global {
	DH_GLOBAL_NOT,	 /* not in a module */
	DH_GLOBAL_FIXED, /* its code, or data that cannot be written to or does not count
			  */
	DH_GLOBAL_VARIABLE, /* then *out is it */
};
enum dh_global dh_global_at(uintptr_t addr, struct dh_object *out);

#endif
