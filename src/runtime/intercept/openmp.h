/* SPDX-License-Identifier: MIT */
/* The functions of libgomp that gcc calls for OpenMP, as far as they are interposed
 * (openmp.c). There is no header that declares them. */
#ifndef DH_RUNTIME_INTERCEPT_OPENMP_H
#define DH_RUNTIME_INTERCEPT_OPENMP_H

#include "base/base.h"

typedef void dh_openmp_body(void *);

void GOMP_parallel(dh_openmp_body *body, void *data, unsigned count, unsigned flags);
void GOMP_parallel_sections(dh_openmp_body *body, void *data, unsigned count,
			    unsigned sections, unsigned flags);
unsigned GOMP_parallel_reductions(dh_openmp_body *body, void *data, unsigned count,
				  unsigned flags);

typedef void dh_openmp_loop(dh_openmp_body *body, void *data, unsigned count, long first,
			    long last, long step, long chunk, unsigned flags);
dh_openmp_loop GOMP_parallel_loop_static, GOMP_parallel_loop_dynamic,
    GOMP_parallel_loop_guided, GOMP_parallel_loop_nonmonotonic_dynamic,
    GOMP_parallel_loop_nonmonotonic_guided;

typedef void dh_openmp_loop_by_environment(dh_openmp_body *body, void *data,
					   unsigned count, long first, long last,
					   long step, unsigned flags);
dh_openmp_loop_by_environment GOMP_parallel_loop_runtime,
    GOMP_parallel_loop_nonmonotonic_runtime,
    GOMP_parallel_loop_maybe_nonmonotonic_runtime;

void GOMP_barrier(void);
bool GOMP_barrier_cancel(void);
void GOMP_loop_end(void);
bool GOMP_loop_end_cancel(void);
void GOMP_sections_end(void);
bool GOMP_sections_end_cancel(void);
void *GOMP_single_copy_start(void);
void GOMP_single_copy_end(void *copied);

void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);

void GOMP_task(dh_openmp_body *body, void *data, void (*copy)(void *to, void *from),
	       long size, long align, bool deferred, unsigned flags, void **depend,
	       int priority, void *event);
void GOMP_taskwait(void);
void GOMP_taskgroup_end(void);

/* The types of locks are libgomp's own business. */
void omp_set_lock(void *lock);
void omp_unset_lock(void *lock);
int omp_test_lock(void *lock);
void omp_destroy_lock(void *lock);
void omp_set_nest_lock(void *lock);
void omp_unset_nest_lock(void *lock);
int omp_test_nest_lock(void *lock);
void omp_destroy_nest_lock(void *lock);

#endif
