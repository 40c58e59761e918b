/* SPDX-License-Identifier: MIT */
/* libgomp: critical sections, atomics that are no instruction, locks. */
#include "base/base.h"
#include "runtime/abi.h"
#include "runtime/intercept/gomp.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/section.h"
#include "runtime/sync.h"

static char critical, atomics; /* used by address */

#define SECTION(begins, ends, lock)                                                      \
	DH_REAL_WANT(begins);                                                            \
	DH_EXPORT void begins(void)                                                      \
	{                                                                                \
		DH_REAL(begins)();                                                       \
		dh_section_entered(lock, DH_CALLER());                                   \
	}                                                                                \
	DH_REAL_WANT(ends);                                                              \
	DH_EXPORT void ends(void)                                                        \
	{                                                                                \
		dh_section_leaving(lock);                                                \
		DH_REAL(ends)();                                                         \
	}
SECTION(GOMP_critical_start, GOMP_critical_end, &critical)
SECTION(GOMP_atomic_start, GOMP_atomic_end, &atomics)

DH_REAL_WANT(GOMP_critical_name_start);
DH_EXPORT void GOMP_critical_name_start(void **name)
{
	DH_REAL(GOMP_critical_name_start)(name);
	dh_section_entered(name, DH_CALLER());
}

DH_REAL_WANT(GOMP_critical_name_end);
DH_EXPORT void GOMP_critical_name_end(void **name)
{
	dh_section_leaving(name);
	DH_REAL(GOMP_critical_name_end)(name);
}

/* What is locked by the same thread more than once is given back as often. */
#define LOCK(set, unset, test, destroy)                                                  \
	DH_REAL_WANT(set);                                                               \
	DH_EXPORT void set(void *lock)                                                   \
	{                                                                                \
		DH_REAL(set)(lock);                                                      \
		dh_section_entered(lock, DH_CALLER());                                   \
	}                                                                                \
	DH_REAL_WANT(unset);                                                             \
	DH_EXPORT void unset(void *lock)                                                 \
	{                                                                                \
		dh_section_leaving(lock);                                                \
		DH_REAL(unset)(lock);                                                    \
	}                                                                                \
	DH_REAL_WANT(test);                                                              \
	DH_EXPORT int test(void *lock)                                                   \
	{                                                                                \
		int got = DH_REAL(test)(lock);                                           \
		if (got)                                                                 \
			dh_section_entered(lock, DH_CALLER());                           \
		return got;                                                              \
	}                                                                                \
	DH_REAL_WANT(destroy);                                                           \
	DH_EXPORT void destroy(void *lock)                                               \
	{                                                                                \
		dh_sync_forget((uintptr_t)lock);                                         \
		DH_REAL(destroy)(lock);                                                  \
	}
LOCK(omp_set_lock, omp_unset_lock, omp_test_lock, omp_destroy_lock)
LOCK(omp_set_nest_lock, omp_unset_nest_lock, omp_test_nest_lock, omp_destroy_nest_lock)
