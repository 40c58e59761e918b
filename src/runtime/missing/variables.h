/* SPDX-License-Identifier: MIT */
/*
 * The variables of a module by the symbol table in its file: the full one, or, where that
 * was stripped, the one for the dynamic linker. A file that is gone, or none that makes
 * sense, has none.
 *
 * Context: `inside` the runtime; by direct system calls. Allocates.
 */
#ifndef DH_RUNTIME_MISSING_VARIABLES_H
#define DH_RUNTIME_MISSING_VARIABLES_H

#include "base/vec.h"

struct dh_variable {
	uintptr_t start;
	size_t size;
};
struct dh_variables dh_vec(struct dh_variable);

/* By ascending address, for a module that was loaded at base. */
void dh_variables_read(const char *path, uintptr_t base, struct dh_variables *out);

#endif
