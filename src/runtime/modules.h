/* SPDX-License-Identifier: MIT */
/*
 * The modules of the process: the program and the shared libraries that are or were
 * mapped into it, as the kernel shows them in /proc/self/maps. The dynamic loader is
 * not asked, because its lock may be held by the thread that needs to know, or by one
 * that waits for it; but for constructors where there is no /proc (loaded.h).
 *
 * A module stays in the list when it is unloaded: stacks of earlier accesses lead into
 * it. The list is read anew when something unknown turns up, and when
 * dh_modules_changed() said so.
 *
 * Concurrency: any thread; one lock inside. Callers are `inside` the runtime. Allocates.
 */
#ifndef DH_RUNTIME_MODULES_H
#define DH_RUNTIME_MODULES_H

#include "base/vec.h"

/* A piece of the file in memory. */
struct dh_segment {
	uintptr_t start, end;
	uint64_t offset; /* in the file */
	bool executable;
};

struct dh_segments dh_vec(struct dh_segment);

struct dh_module {
	uint32_t number;
	uint64_t device, inode;
	char *path;
	struct dh_segments segments; /* ascending */
	bool gone;		     /* unmapped since */
};

/* A library was loaded, or is about to be unloaded: the next look reads the list. */
void dh_modules_changed(void);

/* Reads the list now. Before a library is unloaded, so that it is known afterwards. */
void dh_modules_scan(void);

/* Adds a module that the kernel does not show, unless it is there (loaded.h). The path
 * is made absolute, both are copied. */
void dh_modules_add(const char *path, const struct dh_segments *segments);

/* Does the kernel show mappings? As of the last look. */
bool dh_modules_shown(void);

/* The list is up to date for these addresses. */
void dh_modules_know(const uint64_t *addresses, size_t count);

/* How many there are or were, and each by its number. Fixed but for `gone`. */
uint32_t dh_modules_count(void);
const struct dh_module *dh_modules_at(uint32_t number);

/* The module that is (else: that was) at an address; NULL for none. */
const struct dh_module *dh_modules_find(uintptr_t address);

/* Bounds of the mapping, of whatever kind, that an address lies in. Reads the kernel's
 * list to the end. */
bool dh_modules_mapping(uintptr_t address, uintptr_t *start, uintptr_t *end);

#endif
