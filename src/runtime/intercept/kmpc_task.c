/* SPDX-License-Identifier: MIT */
/*
 * libomp: what it does not tell of tasks (ompt_task.c has the rest): where they are in
 * memory that it uses again and again; whether the program made them undeferred, or
 * detached; where the private copies of their reductions are.
 */
#include "base/lock.h"
#include "base/map.h"
#include "base/vec.h"
#include "runtime/abi.h"
#include "runtime/intercept/kmpc.h"
#include "runtime/intercept/kmpc_untied.h"
#include "runtime/intercept/ompt.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/watch.h"

/* ---- tasks ---- */

/* Of the last one that the thread was given: its structure, private variables and the
 * pointers to shared ones. */
static __thread size_t last_size __attribute__((tls_model("initial-exec")));

static void *allocated(void *task, size_t size, size_t shared)
{
	enum { ALIGNED = 8 };
	last_size = (size + shared + 2 * ALIGNED - 1) / ALIGNED * ALIGNED;
	if (task)
		dh_omp_task_memory(task, last_size);
	return task;
}

DH_REAL_WANT(__kmpc_omp_task_alloc);
DH_EXPORT void *__kmpc_omp_task_alloc(void *place, int thread, int flags, size_t size,
				      size_t shared, void *entry)
{
	const bool untied = !(flags & DH_KMPC_TIED);
	void *task = DH_REAL(__kmpc_omp_task_alloc)(place, thread, flags | DH_KMPC_TIED,
						    size, shared,
						    untied ? dh_untied_code() : entry);
	if (untied && task)
		dh_untied_mark(task, entry);
	return allocated(task, size, shared);
}

DH_REAL_WANT(__kmpc_omp_target_task_alloc);
DH_EXPORT void *__kmpc_omp_target_task_alloc(void *place, int thread, int flags,
					     size_t size, size_t shared, void *entry,
					     int64_t device)
{
	return allocated(DH_REAL(__kmpc_omp_target_task_alloc)(place, thread, flags, size,
							       shared, entry, device),
			 size, shared);
}

DH_REAL_WANT(__kmpc_omp_task_begin_if0);
DH_EXPORT void __kmpc_omp_task_begin_if0(void *place, int thread, void *task)
{
	struct dh_ompt_call outer = dh_ompt_call_begin(DH_CALLER(), true);
	DH_REAL(__kmpc_omp_task_begin_if0)(place, thread, task);
	dh_ompt_call_end(outer);
}

DH_REAL_WANT(__kmpc_task_allow_completion_event);
DH_EXPORT void *__kmpc_task_allow_completion_event(void *place, int thread, void *task)
{
	dh_ompt_next_is_detached();
	return DH_REAL(__kmpc_task_allow_completion_event)(place, thread, task);
}

/* ---- taskloop ---- */

/* The library makes the tasks of a loop by copying the first, and has the program's
 * function complete a copy where there is one. It gets ours, which finds the loop by the
 * task's code. */
struct loop {
	size_t size;
	dh_kmpc_copy *copy; /* the program's, or NULL */
};
static struct dh_map by_code;		 /* to index */
static struct dh_vec(struct loop) loops; /* under the lock, both */
static struct dh_lock loops_lock;
DH_LOCK_AROUND_FORK(loops_lock, DH_FORK_OUTER);

static uintptr_t code_of(void *task)
{
	return (uintptr_t)dh_untied_entry(task);
}

static void loop_put(void *task, dh_kmpc_copy *copy)
{
	struct dh_self *t = dh_thread_self();
	bool fresh;
	dh_enter_runtime(t);
	dh_lock(&loops_lock);
	uint64_t *index = dh_map_put(&by_code, code_of(task), &fresh);
	if (fresh) {
		*index = loops.len;
		dh_vec_push(&loops, ((struct loop){last_size, copy}));
	}
	dh_unlock(&loops_lock);
	dh_leave_runtime(t);
}

static struct loop loop_get(void *task)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&loops_lock);
	const uint64_t *index = dh_map_get(&by_code, code_of(task));
	struct loop found = index ? loops.at[*index] : (struct loop){0, NULL};
	dh_unlock(&loops_lock);
	dh_leave_runtime(t);
	return found;
}

static void copy_task(void *to, void *from, int is_last)
{
	struct loop loop = loop_get(to);
	dh_omp_task_memory(to, loop.size);
	if (loop.copy)
		loop.copy(to, from, is_last);
	dh_ompt_next_is_copy();
}

/* It may be called for one of libgomp's functions, which have said where they are. */
static uint64_t place_of(uint64_t caller)
{
	return dh_ompt_place((const void *)(uintptr_t)caller);
}

DH_REAL_WANT(__kmpc_taskloop);
DH_EXPORT void __kmpc_taskloop(void *place, int thread, void *task, int deferred,
			       uint64_t *first, uint64_t *last, int64_t step, int nogroup,
			       int schedule, uint64_t size, dh_kmpc_copy *copy)
{
	struct dh_ompt_call outer = dh_ompt_call_begin(place_of(DH_CALLER()), !deferred);
	loop_put(task, copy);
	DH_REAL(__kmpc_taskloop)
	(place, thread, task, deferred, first, last, step, nogroup, schedule, size,
	 copy_task);
	dh_ompt_call_end(outer);
}

DH_REAL_WANT(__kmpc_taskloop_5);
DH_EXPORT void __kmpc_taskloop_5(void *place, int thread, void *task, int deferred,
				 uint64_t *first, uint64_t *last, int64_t step,
				 int nogroup, int schedule, uint64_t size, int strict,
				 dh_kmpc_copy *copy)
{
	struct dh_ompt_call outer = dh_ompt_call_begin(place_of(DH_CALLER()), !deferred);
	loop_put(task, copy);
	DH_REAL(__kmpc_taskloop_5)
	(place, thread, task, deferred, first, last, step, nogroup, schedule, size,
	 strict, copy_task);
	dh_ompt_call_end(outer);
}

/* ---- task reductions ---- */

/* Where there is one thread, the variable itself is its private copy. */
DH_REAL_WANT(omp_get_num_threads);
static void *variables_of(void *group, int count, const struct dh_kmpc_reduced *items)
{
	bool alone = DH_REAL(omp_get_num_threads)() == 1;
	for (int i = 0; alone && i < count; i++)
		dh_omp_reduction_variable(items[i].shared, items[i].size);
	return group;
}

DH_REAL_WANT(__kmpc_taskred_init);
DH_EXPORT void *__kmpc_taskred_init(int thread, int count, void *items)
{
	return variables_of(DH_REAL(__kmpc_taskred_init)(thread, count, items), count,
			    items);
}

DH_REAL_WANT(__kmpc_taskred_modifier_init);
DH_EXPORT void *__kmpc_taskred_modifier_init(void *place, int thread, int loop, int count,
					     void *items)
{
	return variables_of(
	    DH_REAL(__kmpc_taskred_modifier_init)(place, thread, loop, count, items),
	    count, items);
}

DH_REAL_WANT(__kmpc_task_reduction_get_th_data);
DH_EXPORT void *__kmpc_task_reduction_get_th_data(int thread, void *group, void *variable)
{
	void *copy = DH_REAL(__kmpc_task_reduction_get_th_data)(thread, group, variable);
	dh_omp_reduction_copy(copy);
	return copy;
}
