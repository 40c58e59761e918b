/* SPDX-License-Identifier: MIT */
/*
 * Which names can be found behind this library, told without the dynamic loader: asked
 * for a name that nobody has, dlsym() allocates memory for its complaint. The allocator
 * may be one that stands before ours and calls functions that we interpose, and these
 * are what is being looked for.
 *
 * Context: any thread, any time; allocates nothing. Takes the loader's lock, as dlsym()
 * does.
 */
#ifndef DH_RUNTIME_INTERCEPT_PROVIDERS_H
#define DH_RUNTIME_INTERCEPT_PROVIDERS_H

#include "base/base.h"

enum { DH_PROVIDERS_MOST = 64 };

/* The table of names of one module (DT_GNU_HASH). */
struct dh_provider {
	const uint32_t *hash;
	const void *symbols;
	const char *names;
};

struct dh_providers {
	uint32_t count;
	bool all; /* false: there are some whose names cannot be told */
	struct dh_provider at[DH_PROVIDERS_MOST];
};

/* The modules of now that dlsym(RTLD_NEXT) would search. */
void dh_providers_list(struct dh_providers *out);

/* False where none of them has the name. True means: perhaps, where not all are known. */
bool dh_providers_have(const struct dh_providers *p, const char *name);

#endif
