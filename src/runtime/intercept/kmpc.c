/* SPDX-License-Identifier: MIT */
/*
 * libomp: what it tells too late or not at all (ompt.h has the rest).
 *
 *   critical, ordered   the library tells of a release when another thread may have gone
 *                       on already
 *   flush               is a fence
 *   reductions          who puts the parts together, and when
 *
 * kmpc_task.c is about tasks.
 */
#include "runtime/intercept/kmpc.h"
#include "runtime/abi.h"
#include "runtime/edges.h"
#include "runtime/openmp/openmp.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/section.h"

/* ---- critical ---- */

DH_REAL_WANT(__kmpc_critical);
DH_EXPORT void __kmpc_critical(void *place, int thread, void *name)
{
	DH_REAL(__kmpc_critical)(place, thread, name);
	dh_section_entered(name, DH_CALLER());
}

DH_REAL_WANT(__kmpc_critical_with_hint);
DH_EXPORT void __kmpc_critical_with_hint(void *place, int thread, void *name,
					 uint32_t hint)
{
	DH_REAL(__kmpc_critical_with_hint)(place, thread, name, hint);
	dh_section_entered(name, DH_CALLER());
}

DH_REAL_WANT(__kmpc_end_critical);
DH_EXPORT void __kmpc_end_critical(void *place, int thread, void *name)
{
	dh_section_leaving(name);
	DH_REAL(__kmpc_end_critical)(place, thread, name);
}

/* ---- ordered ---- */

DH_REAL_WANT(__kmpc_ordered);
DH_EXPORT void __kmpc_ordered(void *place, int thread)
{
	DH_REAL(__kmpc_ordered)(place, thread);
	dh_omp_ordered_begin();
}

DH_REAL_WANT(__kmpc_end_ordered);
DH_EXPORT void __kmpc_end_ordered(void *place, int thread)
{
	dh_omp_ordered_end();
	DH_REAL(__kmpc_end_ordered)(place, thread);
}

/* ---- flush ---- */

DH_REAL_WANT(__kmpc_flush);
DH_EXPORT void __kmpc_flush(void *place)
{
	DH_REAL(__kmpc_flush)(place);
	if (dh_watched())
		dh_edge_fence(__ATOMIC_SEQ_CST);
}

/* ---- reductions ---- */

/* The library may put parts together itself, in any thread, while all are in here: that
 * is not looked at. Who gets 1 has a result to add to the variable, after all or in turn
 * with the others. */
static void parts_ready(const void *lock)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_sync_release_join(t, (uintptr_t)lock);
	dh_enter_runtime(t);
	dh_ignore_begin(t);
	dh_leave_runtime(t);
}

static void parts_taken(const void *lock, int result)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_enter_runtime(t);
	dh_ignore_end(t);
	dh_leave_runtime(t);
	if (result == 1)
		dh_sync_acquire(t, (uintptr_t)lock);
}

static void result_added(const void *lock)
{
	struct dh_self *t = dh_watched();
	if (t)
		dh_sync_release_join(t, (uintptr_t)lock);
}

#define REDUCE(name, end)                                                                \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(void *place, int thread, int count, size_t size, void *data,  \
			   dh_kmpc_combine *combine, void *lock)                         \
	{                                                                                \
		parts_ready(lock);                                                       \
		int result =                                                             \
		    DH_REAL(name)(place, thread, count, size, data, combine, lock);      \
		parts_taken(lock, result);                                               \
		return result;                                                           \
	}                                                                                \
	DH_REAL_WANT(end);                                                               \
	DH_EXPORT void end(void *place, int thread, void *lock)                          \
	{                                                                                \
		result_added(lock);                                                      \
		DH_REAL(end)(place, thread, lock);                                       \
	}
REDUCE(__kmpc_reduce, __kmpc_end_reduce)
REDUCE(__kmpc_reduce_nowait, __kmpc_end_reduce_nowait)
