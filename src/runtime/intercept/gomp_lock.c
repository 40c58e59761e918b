/* SPDX-License-Identifier: MIT */
/* libgomp: critical sections, atomics that are no instruction, locks. */
#include "base/base.h"
#include "runtime/abi.h"
#include "runtime/intercept/gomp.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

static void locked(const void *lock, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_sync_take(t, (uintptr_t)lock);
	dh_held_add(t, (uintptr_t)lock, true, pc);
}

static void unlocking(const void *lock)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_sync_leave(t, (uintptr_t)lock);
	dh_held_remove(t, (uintptr_t)lock);
}

static char critical, atomics; /* used by address */

#define SECTION(begins, ends, lock)                                                      \
	DH_REAL_WANT(begins);                                                            \
	DH_EXPORT void begins(void)                                                      \
	{                                                                                \
		DH_REAL(begins)();                                                       \
		locked(lock, DH_CALLER());                                               \
	}                                                                                \
	DH_REAL_WANT(ends);                                                              \
	DH_EXPORT void ends(void)                                                        \
	{                                                                                \
		unlocking(lock);                                                         \
		DH_REAL(ends)();                                                         \
	}
SECTION(GOMP_critical_start, GOMP_critical_end, &critical)
SECTION(GOMP_atomic_start, GOMP_atomic_end, &atomics)

DH_REAL_WANT(GOMP_critical_name_start);
DH_EXPORT void GOMP_critical_name_start(void **name)
{
	DH_REAL(GOMP_critical_name_start)(name);
	locked(name, DH_CALLER());
}

DH_REAL_WANT(GOMP_critical_name_end);
DH_EXPORT void GOMP_critical_name_end(void **name)
{
	unlocking(name);
	DH_REAL(GOMP_critical_name_end)(name);
}

/* What is locked by the same thread more than once is given back as often. */
#define LOCK(set, unset, test, destroy)                                                  \
	DH_REAL_WANT(set);                                                               \
	DH_EXPORT void set(void *lock)                                                   \
	{                                                                                \
		DH_REAL(set)(lock);                                                      \
		locked(lock, DH_CALLER());                                               \
	}                                                                                \
	DH_REAL_WANT(unset);                                                             \
	DH_EXPORT void unset(void *lock)                                                 \
	{                                                                                \
		unlocking(lock);                                                         \
		DH_REAL(unset)(lock);                                                    \
	}                                                                                \
	DH_REAL_WANT(test);                                                              \
	DH_EXPORT int test(void *lock)                                                   \
	{                                                                                \
		int got = DH_REAL(test)(lock);                                           \
		if (got)                                                                 \
			locked(lock, DH_CALLER());                                       \
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
