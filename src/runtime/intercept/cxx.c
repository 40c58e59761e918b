/* SPDX-License-Identifier: MIT */
/* See cxx.h. */
#define _GNU_SOURCE
#include "runtime/intercept/cxx.h"
#include <dlfcn.h>

static DH_COLD void *look_for(const char *name)
{
	static const char *const homes[] = {"libstdc++.so.6", "libc++abi.so.1",
					    "libc++.so.1", "libm.so.6", "libtbb.so.12"};
	void *found = dlsym(RTLD_NEXT, name);
	for (size_t i = 0; !found && i < DH_ARRAY_LEN(homes); i++) {
		void *library = dlopen(homes[i], RTLD_LAZY | RTLD_NOLOAD);
		found = library ? dlsym(library, name) : NULL;
	}
	DH_CHECK(found != NULL);
	return found;
}

void *dh_cxx_find(const char *name, void **place)
{
	void *found = __atomic_load_n(place, __ATOMIC_RELAXED);
	if (DH_UNLIKELY(!found)) {
		found = look_for(name);
		__atomic_store_n(place, found, __ATOMIC_RELAXED);
	}
	return found;
}
