/* SPDX-License-Identifier: MIT */
/* See gomp.h: are libgomp's functions there, and is it libomp that they are found in? */
#define _GNU_SOURCE
#include <dlfcn.h>
#include "base/base.h"
#include "runtime/intercept/gomp.h"
#include "runtime/intercept/real.h"

DH_REAL_WANT(GOMP_parallel);

static bool same_library(void *a, void *b)
{
	Dl_info of_a, of_b;
	return a && b && dladdr(a, &of_a) && dladdr(b, &of_b) &&
	       of_a.dli_fbase == of_b.dli_fbase;
}

bool dh_gomp_is_there(void)
{
	return dh_real_GOMP_parallel != NULL;
}

bool dh_gomp_is_libomp(void)
{
	enum { UNKNOWN, NO, YES };
	static int known; /* atomic */
	int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
	if (DH_UNLIKELY(answer == UNKNOWN)) {
		void *own = dlsym(RTLD_DEFAULT, "__kmpc_fork_call");
		answer = same_library(own, (void *)DH_REAL(GOMP_parallel)) ? YES : NO;
		__atomic_store_n(&known, answer, __ATOMIC_RELAXED);
	}
	return answer == YES;
}
