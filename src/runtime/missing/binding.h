/* SPDX-License-Identifier: MIT */
/*
 * How a module refers to functions of others: the slots that the dynamic loader fills,
 * with the names that belong to them.
 *
 * Context: under the loader's lock. dh_binding_function() asks the loader, and may
 * allocate.
 */
#ifndef DH_RUNTIME_MISSING_BINDING_H
#define DH_RUNTIME_MISSING_BINDING_H

#include "runtime/dynamic.h"

struct dh_binding {
	const struct dl_phdr_info *module;
	const ElfW(Rela) * call, *plain; /* slots of calls, and all others */
	size_t calls, plains;
	const ElfW(Sym) * symbols;
	const char *names;
	const uint16_t *versions; /* by symbol; NULL: has none */
	const ElfW(Verneed) * needed;
	size_t needed_count;
};

/* False where the module has none. */
bool dh_binding_of(const struct dl_phdr_info *m, struct dh_binding *out);

/* The name of the function that the entry is for; NULL where it is for something else. */
const char *dh_binding_name(const struct dh_binding *b, const ElfW(Rela) * r);

/* The function that its slot, with this value, leads to, or will after its first call; 0
 * where there is none, or it is one of the module itself. */
uintptr_t dh_binding_function(const struct dh_binding *b, const ElfW(Rela) * r,
			      uintptr_t value);

#endif
