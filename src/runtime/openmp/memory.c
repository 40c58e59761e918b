/* SPDX-License-Identifier: MIT */
/* See memory.h. Thread-local variables of modules that were there from the start lie
 * below where the thread's pointer points to; of those that are loaded later nothing is
 * known. */
#define _GNU_SOURCE
#include "runtime/openmp/memory.h"
#include <dlfcn.h>
#include "runtime/heap.h"
#include "runtime/labels.h"
#include "runtime/observer.h"
#include "runtime/openmp/openmp.h"
#include "runtime/openmp/model.h"
#include "runtime/openmp/reach.h"
#include "runtime/shadow.h"

static size_t storage; /* of a thread; atomic */
static char *alone;    /* the C library's; atomic */

void dh_omp_memory_init(void)
{
	void (*info)(size_t *, size_t *) = dlsym(RTLD_DEFAULT, "_dl_get_tls_static_info");
	const uint32_t *above = dlsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread");
	size_t size = 0, align;
	if (info && above) {
		info(&size, &align);
		size -= DH_MIN(size, (size_t)*above);
	}
	__atomic_store_n(&storage, size, __ATOMIC_RELAXED);
	__atomic_store_n(&alone, dlsym(RTLD_DEFAULT, "__libc_single_threaded"),
			 __ATOMIC_RELAXED);
	dh_omp_reach_init();
}

void dh_omp_memory_not_alone(void)
{
	char *at = __atomic_load_n(&alone, __ATOMIC_RELAXED);
	if (at && __atomic_load_n(at, __ATOMIC_RELAXED))
		__atomic_store_n(at, 0, __ATOMIC_RELAXED);
}

/* Is it one of the calling thread's variables? */
static bool thread_local(uintptr_t addr)
{
	uintptr_t end = (uintptr_t)__builtin_thread_pointer();
	return end - addr <= __atomic_load_n(&storage, __ATOMIC_RELAXED);
}

static bool same_host(dh_record a, dh_record b)
{
	uint32_t of_a, of_b;
	return dh_slot_host(dh_record_slot(a), dh_record_clock(a), &of_a) &&
	       dh_slot_host(dh_record_slot(b), dh_record_clock(b), &of_b) && of_a == of_b;
}

bool dh_omp_memory_of_threads(uintptr_t addr)
{
	return dh_labels_find(DH_LABEL_OF_THREADS, addr, NULL);
}

bool dh_omp_memory_of_one(uintptr_t addr, dh_record mine, dh_record other)
{
	if (!same_host(mine, other))
		return false;
	if (!thread_local(addr) && !dh_omp_memory_of_threads(addr) && !dh_omp_reach(addr))
		return false;
	dh_omp_reach_from(addr);
	return true;
}

void dh_omp_task_memory(const void *start, size_t size)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !size)
		return;
	dh_enter_runtime(t);
	if (DH_UNLIKELY(dh_observer != NULL))
		dh_observe_fresh((uintptr_t)start, size);
	else
		dh_shadow_clear((uintptr_t)start, size);
	dh_leave_runtime(t);
}

void dh_omp_reduction_copy(const void *copy)
{
	struct dh_self *t = dh_omp_self();
	struct dh_heap_block block;
	if (!t)
		return;
	dh_enter_runtime(t);
	if (!dh_labels_find(DH_LABEL_OF_THREADS, (uintptr_t)copy, NULL) &&
	    dh_heap_find((uintptr_t)copy, &block))
		dh_labels_add(DH_LABEL_OF_THREADS, block.base, block.size, NULL);
	dh_leave_runtime(t);
}

void dh_omp_reduction_variable(const void *variable, size_t size)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !size)
		return;
	dh_enter_runtime(t);
	if (!dh_labels_find(DH_LABEL_OF_THREADS, (uintptr_t)variable, NULL))
		dh_labels_add(DH_LABEL_OF_THREADS, (uintptr_t)variable, size, NULL);
	dh_leave_runtime(t);
}
