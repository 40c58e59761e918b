/* SPDX-License-Identifier: MIT */
/*
 * Reads /proc/self/maps line by line, by direct system calls. Allocates; any thread.
 *
 *   struct dh_maps maps;
 *   struct dh_mapping m;
 *   if (dh_maps_open(&maps)) {
 *           while (dh_maps_next(&maps, &m))
 *                   ...
 *           dh_maps_close(&maps);
 *   }
 */
#ifndef DH_RUNTIME_MAPS_H
#define DH_RUNTIME_MAPS_H

#include "base/base.h"

struct dh_maps {
	long fd;
	char *buffer;
	size_t from, to; /* what is read and not used up */
};

struct dh_mapping {
	uintptr_t start, end;
	uint64_t offset, device, inode;
	bool executable;
	const char *path; /* "" where there is none; valid until the next call */
};

/* False where the kernel does not show it. */
bool dh_maps_open(struct dh_maps *m);
bool dh_maps_next(struct dh_maps *m, struct dh_mapping *out);
void dh_maps_close(struct dh_maps *m);

#endif
