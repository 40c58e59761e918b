/* SPDX-License-Identifier: MIT */
/* The functions of libomp that clang calls for OpenMP, as far as they are interposed
 * (kmpc.c, kmpc_task.c, kmpc_untied.c). There is no header that declares them. */
#ifndef DH_RUNTIME_INTERCEPT_KMPC_H
#define DH_RUNTIME_INTERCEPT_KMPC_H

#include "base/base.h"

/* The first two arguments of all: the place in the source, and the number of the thread,
 * for the library. */
void __kmpc_critical(void *place, int thread, void *name);
void __kmpc_critical_with_hint(void *place, int thread, void *name, uint32_t hint);
void __kmpc_end_critical(void *place, int thread, void *name);
void __kmpc_ordered(void *place, int thread);
void __kmpc_end_ordered(void *place, int thread);

void __kmpc_flush(void *place);

/* A variable of a task reduction. */
struct dh_kmpc_reduced {
	void *shared, *original;
	size_t size;
	void *functions[3];
	uint64_t flags;
};

typedef void dh_kmpc_combine(void *to, void *from);
typedef int dh_kmpc_reduce(void *place, int thread, int count, size_t size, void *data,
			   dh_kmpc_combine *combine, void *lock);
typedef void dh_kmpc_end_reduce(void *place, int thread, void *lock);
dh_kmpc_reduce __kmpc_reduce, __kmpc_reduce_nowait;
dh_kmpc_end_reduce __kmpc_end_reduce, __kmpc_end_reduce_nowait;

/* size is that of the structure with the private variables; shared: of the pointers to
 * shared ones, which follow it. */
void *__kmpc_omp_task_alloc(void *place, int thread, int flags, size_t size,
			    size_t shared, void *entry);
void *__kmpc_omp_target_task_alloc(void *place, int thread, int flags, size_t size,
				   size_t shared, void *entry, int64_t device);
int __kmpc_omp_task(void *place, int thread, void *task);
void __kmpc_omp_task_begin_if0(void *place, int thread, void *task);
void *__kmpc_task_allow_completion_event(void *place, int thread, void *task);
typedef void dh_kmpc_copy(void *to, void *from, int is_last);
void __kmpc_taskloop(void *place, int thread, void *task, int deferred, uint64_t *first,
		     uint64_t *last, int64_t step, int nogroup, int schedule,
		     uint64_t size, dh_kmpc_copy *copy);
void __kmpc_taskloop_5(void *place, int thread, void *task, int deferred, uint64_t *first,
		       uint64_t *last, int64_t step, int nogroup, int schedule,
		       uint64_t size, int strict, dh_kmpc_copy *copy);
/* items: of struct dh_kmpc_reduced. */
void *__kmpc_taskred_init(int thread, int count, void *items);
void *__kmpc_taskred_modifier_init(void *place, int thread, int loop, int count,
				   void *items);
void *__kmpc_task_reduction_get_th_data(int thread, void *group, void *variable);
int omp_get_num_threads(void);

#endif
