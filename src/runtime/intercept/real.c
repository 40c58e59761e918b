/* SPDX-License-Identifier: MIT */
/* See real.h. The linker gathers the entries of all files in one section and marks its
 * ends. RTLD_NEXT means: behind this library in the search order. Where the program is
 * linked with an instrumented library and not with this one, the C library stands before
 * it. What nobody has is not asked for (providers.h). */
#define _GNU_SOURCE
#include "runtime/intercept/real.h"
#include <dlfcn.h>
#include "runtime/intercept/providers.h"

extern struct dh_real __start_dh_real[] __attribute__((visibility("hidden")));
extern struct dh_real __stop_dh_real[] __attribute__((visibility("hidden")));

/* Among all that is loaded; not a function of this library. */
static DH_COLD void *before_us(const struct dh_real *e)
{
	Dl_info found, own;
	void *f = e->version ? dlvsym(RTLD_DEFAULT, e->name, e->version) : NULL;
	if (!f)
		f = dlsym(RTLD_DEFAULT, e->name);
	if (!f || !dladdr(f, &found) || !dladdr((void *)dh_real_resolve, &own))
		return NULL;
	return found.dli_fbase == own.dli_fbase ? NULL : f;
}

DH_COLD void dh_real_resolve(void)
{
	struct dh_providers behind;
	dh_providers_list(&behind);
	for (struct dh_real *e = __start_dh_real; e < __stop_dh_real; e++) {
		void **place = e->place;
		if (__atomic_load_n(place, __ATOMIC_RELAXED) ||
		    !dh_providers_have(&behind, e->name))
			continue;
		void *f = e->version ? dlvsym(RTLD_NEXT, e->name, e->version) : NULL;
		if (!f)
			f = dlsym(RTLD_NEXT, e->name);
		if (!f)
			f = before_us(e);
		/* Relaxed: what it points to was there before this library. */
		__atomic_store_n(place, f, __ATOMIC_RELAXED);
	}
}
