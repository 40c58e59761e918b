/* SPDX-License-Identifier: MIT */
/*
 * Functions of the C++ library, of the mathematical one and of oneTBB behind the
 * interposed ones. The table of real.h does not do for them: the library may come late,
 * with a plugin that is no part of the search order. By then a call has come from its
 * code, so it is there to be found.
 *
 * Context: any thread. The first call for a function takes the dynamic loader's lock, and
 * may allocate.
 */
#ifndef DH_RUNTIME_INTERCEPT_CXX_H
#define DH_RUNTIME_INTERCEPT_CXX_H

#include "base/base.h"

/* The library's own function of that name, which is kept in *place once it was found.
 * Ends the process where there is none. */
void *dh_cxx_find(const char *name, void **place);

/* The same, to be called: DH_CXX(f)(arguments), after a prototype of f. */
#define DH_CXX(f)                                                                        \
	({                                                                               \
		static void *dh_cxx_place; /* atomic */                                  \
		(__typeof__(f) *)dh_cxx_find(#f, &dh_cxx_place);                         \
	})

#endif
