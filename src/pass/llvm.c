/* SPDX-License-Identifier: MIT */
/* See llvm.h. */
#include "pass/llvm.h"

#include <dlfcn.h>

struct dh_llvm dh_ll;

bool dh_llvm_load(const char *library)
{
	void *from = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
	bool all = from != NULL;
	if (!from)
		return false;
		/* POSIX has it that a function's address comes as that of an object. */
#define WANTED(name, result, arguments)                                                  \
	*(void **)(&dh_ll.name) = dlsym(from, "LLVM" #name);                             \
	all &= dh_ll.name != NULL;
#define MAYBE(name, result, arguments)                                                   \
	*(void **)(&dh_ll.name) = dlsym(from, "LLVM" #name);
	DH_LLVM(WANTED, MAYBE)
#undef WANTED
#undef MAYBE
	return all;
}
