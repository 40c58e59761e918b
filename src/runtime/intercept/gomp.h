/* SPDX-License-Identifier: MIT */
/*
 * The functions of libgomp that gcc calls for OpenMP, as far as they are interposed
 * (gomp_*.c). There is no header that declares them. What they mean for the detector is
 * said in openmp/openmp.h; those that are not here mean nothing: the next piece of a loop
 * or of sections, and who runs a `single`, order nobody.
 */
#ifndef DH_RUNTIME_INTERCEPT_GOMP_H
#define DH_RUNTIME_INTERCEPT_GOMP_H

#include "base/base.h"
#include "runtime/openmp/openmp.h"

typedef void dh_gomp_body(void *);

/* Where a construct is, as a return address: gcc gives the call that begins it the line
 * of what is around it, but the function that it makes of its body that of the construct.
 * That call is part of the stack all the same (dh_call_begin()): stacks would lead from the
 * body to who has called the function that the construct is in, and leave that out.
 */
#define DH_GOMP_PLACE(body) ((uint64_t)(uintptr_t)(body) + 1)

/* Was the program started with a library for OpenMP, either of them? */
bool dh_gomp_is_there(void);

/* clang's library has libgomp's functions too, and a program that gcc has built may run on
 * it (its libgomp.so.1 in LD_LIBRARY_PATH). Then it tells of regions, barriers and tasks
 * itself (ompt.h), and the functions here tell only the rest. */
bool dh_gomp_is_libomp(void);

/* Bits of the word of flags that tasks have. */
enum dh_gomp_flags {
	DH_GOMP_FINAL = 1 << 1,
	DH_GOMP_DEPEND = 1 << 3,
	DH_GOMP_IF = 1 << 10,	     /* taskloop only */
	DH_GOMP_NOGROUP = 1 << 11,   /* likewise */
	DH_GOMP_REDUCTION = 1 << 12, /* likewise */
	DH_GOMP_DETACH = 1 << 13,
};

/* Dependences as gcc lays them out, as many as fit, and how many there are. */
enum { DH_GOMP_DEPENDS = 32 };
size_t dh_gomp_depends(void **depend, struct dh_omp_depend *out);

/* gomp_region.c */
void GOMP_parallel(dh_gomp_body *body, void *data, unsigned count, unsigned flags);
void GOMP_parallel_sections(dh_gomp_body *body, void *data, unsigned count,
			    unsigned sections, unsigned flags);
unsigned GOMP_parallel_reductions(dh_gomp_body *body, void *data, unsigned count,
				  unsigned flags);

typedef void dh_gomp_loop(dh_gomp_body *body, void *data, unsigned count, long first,
			  long last, long step, long chunk, unsigned flags);
dh_gomp_loop GOMP_parallel_loop_static, GOMP_parallel_loop_dynamic,
    GOMP_parallel_loop_guided, GOMP_parallel_loop_nonmonotonic_dynamic,
    GOMP_parallel_loop_nonmonotonic_guided;

typedef void dh_gomp_loop_by_environment(dh_gomp_body *body, void *data, unsigned count,
					 long first, long last, long step,
					 unsigned flags);
dh_gomp_loop_by_environment GOMP_parallel_loop_runtime,
    GOMP_parallel_loop_nonmonotonic_runtime,
    GOMP_parallel_loop_maybe_nonmonotonic_runtime;

void GOMP_teams_reg(dh_gomp_body *body, void *data, unsigned teams, unsigned limit,
		    unsigned flags);

void GOMP_barrier(void);
bool GOMP_barrier_cancel(void);
void GOMP_loop_end(void);
bool GOMP_loop_end_cancel(void);
void GOMP_sections_end(void);
bool GOMP_sections_end_cancel(void);
void GOMP_workshare_task_reduction_unregister(bool cancelled);
void *GOMP_single_copy_start(void);
void GOMP_single_copy_end(void *copied);
int omp_get_thread_num(void);

/* So many of the next calls of this function are the compiler's own, to find private
 * copies for a reduction. */
extern __thread unsigned dh_gomp_asks __attribute__((tls_model("initial-exec")));

/* gomp_loop.c */
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);

typedef bool dh_gomp_doacross(unsigned counts, long *each, long chunk, long *start,
			      long *end);
typedef bool dh_gomp_doacross_ull(unsigned counts, unsigned long long *each,
				  unsigned long long chunk, unsigned long long *start,
				  unsigned long long *end);
dh_gomp_doacross GOMP_loop_doacross_static_start, GOMP_loop_doacross_dynamic_start,
    GOMP_loop_doacross_guided_start;
dh_gomp_doacross_ull GOMP_loop_ull_doacross_static_start,
    GOMP_loop_ull_doacross_dynamic_start, GOMP_loop_ull_doacross_guided_start;
bool GOMP_loop_doacross_runtime_start(unsigned counts, long *each, long *start,
				      long *end);
bool GOMP_loop_ull_doacross_runtime_start(unsigned counts, unsigned long long *each,
					  unsigned long long *start,
					  unsigned long long *end);
bool GOMP_loop_doacross_start(unsigned counts, long *each, long schedule, long chunk,
			      long *start, long *end, uintptr_t *reductions,
			      void **memory);
bool GOMP_loop_ull_doacross_start(unsigned counts, unsigned long long *each,
				  long schedule, unsigned long long chunk,
				  unsigned long long *start, unsigned long long *end,
				  uintptr_t *reductions, void **memory);
void GOMP_doacross_post(long *at);
void GOMP_doacross_wait(long first, ...);
void GOMP_doacross_ull_post(unsigned long long *at);
void GOMP_doacross_ull_wait(unsigned long long first, ...);

/* gomp_lock.c. The types of locks are libgomp's own business. */
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
void omp_set_lock(void *lock);
void omp_unset_lock(void *lock);
int omp_test_lock(void *lock);
void omp_destroy_lock(void *lock);
void omp_set_nest_lock(void *lock);
void omp_unset_nest_lock(void *lock);
int omp_test_nest_lock(void *lock);
void omp_destroy_nest_lock(void *lock);

/* gomp_task.c */
void GOMP_task(dh_gomp_body *body, void *data, void (*copy)(void *to, void *from),
	       long size, long align, bool deferred, unsigned flags, void **depend,
	       int priority, void *event);
void GOMP_taskloop(dh_gomp_body *body, void *data, void (*copy)(void *to, void *from),
		   long size, long align, unsigned flags, unsigned long tasks,
		   int priority, long start, long end, long step);
void GOMP_taskloop_ull(dh_gomp_body *body, void *data, void (*copy)(void *to, void *from),
		       long size, long align, unsigned flags, unsigned long tasks,
		       int priority, unsigned long long start, unsigned long long end,
		       unsigned long long step);
void GOMP_taskwait(void);
void GOMP_taskwait_depend(void **depend);
void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);
void GOMP_task_reduction_remap(size_t count, size_t originals, void **at);
void omp_fulfill_event(uintptr_t event);

/* gomp_target.c */
void GOMP_target_ext(int device, dh_gomp_body *body, size_t maps, void **addresses,
		     size_t *sizes, unsigned short *kinds, unsigned flags, void **depend,
		     void **arguments);
bool GOMP_teams4(unsigned least, unsigned most, unsigned limit, bool first);
int omp_get_num_devices(void);

#endif
