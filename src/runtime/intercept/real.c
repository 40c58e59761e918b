/* SPDX-License-Identifier: MIT */
/* See real.h. The linker gathers the entries of all files in one section and marks its
 * ends. RTLD_NEXT means: behind this library in the search order. */
#define _GNU_SOURCE
#include "runtime/intercept/real.h"
#include <dlfcn.h>

extern struct dh_real __start_dh_real[] __attribute__((visibility("hidden")));
extern struct dh_real __stop_dh_real[] __attribute__((visibility("hidden")));

DH_COLD void dh_real_resolve(void)
{
	for (struct dh_real *e = __start_dh_real; e < __stop_dh_real; e++) {
		void **place = e->place;
		if (__atomic_load_n(place, __ATOMIC_RELAXED))
			continue;
		void *f = e->version ? dlvsym(RTLD_NEXT, e->name, e->version) : NULL;
		if (!f)
			f = dlsym(RTLD_NEXT, e->name);
		/* Relaxed: what it points to was there before this library. */
		__atomic_store_n(place, f, __ATOMIC_RELAXED);
	}
}
