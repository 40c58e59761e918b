/* SPDX-License-Identifier: MIT */
/* See real.h. The linker gathers the entries of all files in one section and marks its
 * ends. RTLD_NEXT means: behind this library in the search order. Where the program is
 * linked with an instrumented library and not with this one, the C library stands before
 * it. What nobody has is not asked for (providers.h). */
#define _GNU_SOURCE
#include "runtime/intercept/real.h"
#include <dlfcn.h>
#include "runtime/dynamic.h"
#include "runtime/intercept/providers.h"

extern struct dh_real __start_dh_real[] __attribute__((visibility("hidden")));
extern struct dh_real __stop_dh_real[] __attribute__((visibility("hidden")));

static DH_COLD void *look_in(void *where, const struct dh_real *e)
{
	void *f = e->version ? dlvsym(where, e->name, e->version) : NULL;
	return f ? f : dlsym(where, e->name);
}

/* Among all that is loaded; not a function of this library. */
static DH_COLD void *before_us(const struct dh_real *e)
{
	void *f = look_in(RTLD_DEFAULT, e);
	return dh_dynamic_own((uintptr_t)f) ? NULL : f;
}

/* A library that was loaded with dlopen() may have brought these along, for itself alone:
 * then they are in nobody's search order. */
static DH_COLD void *loaded_later(const struct dh_real *e)
{
	static const char *const homes[] = {"libgomp.so.1", "libomp.so.5"};
	static __thread bool looking __attribute__((tls_model("initial-exec")));
	void *f = NULL;
	if (looking) /* dlopen() is one of those that are looked for */
		return NULL;
	looking = true;
	for (size_t i = 0; i < DH_ARRAY_LEN(homes) && !f; i++) {
		void *library = dlopen(homes[i], RTLD_LAZY | RTLD_NOLOAD);
		if (!library)
			continue;
		f = look_in(library, e);
		dlclose(library);
	}
	looking = false;
	return f;
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
		void *f = look_in(RTLD_NEXT, e);
		if (!f)
			f = before_us(e);
		if (!f)
			f = loaded_later(e);
		/* Relaxed: what it points to was there before this library. */
		__atomic_store_n(place, f, __ATOMIC_RELAXED);
	}
}
