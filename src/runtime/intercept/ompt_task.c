/* SPDX-License-Identifier: MIT */
/* libomp: explicit tasks, as it tells of them. See ompt.h. */
#include "runtime/intercept/ompt.h"

static __thread struct dh_ompt_call call __attribute__((tls_model("initial-exec")));
static __thread bool next_is_detached __attribute__((tls_model("initial-exec")));
static __thread bool next_is_copy __attribute__((tls_model("initial-exec")));

struct dh_ompt_call dh_ompt_call_begin(uint64_t pc, bool undeferred)
{
	struct dh_ompt_call outer = call;
	call = (struct dh_ompt_call){dh_omp_task_present(), pc, undeferred};
	return outer;
}

void dh_ompt_call_end(struct dh_ompt_call outer)
{
	call = outer;
}

static bool within_call(void)
{
	return call.pc && call.in == dh_omp_task_present();
}

uint64_t dh_ompt_place(const void *pc)
{
	return within_call() ? call.pc : (uint64_t)(uintptr_t)pc;
}

void dh_ompt_next_is_detached(void)
{
	next_is_detached = true;
}

void dh_ompt_next_is_copy(void)
{
	next_is_copy = true;
}

static struct dh_omp_task *task_of(const union dh_ompt_data *data)
{
	uint64_t bits = DH_OMPT_BEGUN | DH_OMPT_SUSPENDED | DH_OMPT_IMPLICIT_MARK |
			DH_OMPT_PART;
	return data ? (struct dh_omp_task *)(uintptr_t)(data->value & ~bits) : NULL;
}

/* ---- creation ---- */

/* That the library runs a task at once, because there is but one thread, is its own
 * business: only the program makes tasks undeferred. */
static void on_task_create(DH_UNUSED union dh_ompt_data *from,
			   DH_UNUSED const void *frame, union dh_ompt_data *task,
			   int flags, int has_dependences, const void *pc)
{
	if (flags & (DH_OMPT_TASK_INITIAL | DH_OMPT_TASK_IMPLICIT))
		return;
	const bool within = within_call(), waits = flags & DH_OMPT_TASK_TASKWAIT;
	bool undeferred = (within && call.undeferred) || waits;
	unsigned kind = (undeferred ? DH_OMP_UNDEFERRED : 0) |
			(flags & DH_OMPT_TASK_FINAL ? DH_OMP_FINAL : 0) |
			(next_is_detached ? DH_OMP_DETACHED : 0);
	/* A large loop is shared out by tasks of the library's own. */
	const bool beside = next_is_copy && !within;
	next_is_detached = next_is_copy = false;
	if (kind == DH_OMP_UNDEFERRED && !waits && !has_dependences) {
		task->value = DH_OMPT_PART;
		return;
	}
	task->ptr = beside ? dh_omp_task_beside(kind)
			   : dh_omp_task_create(kind, NULL, 0, dh_ompt_place(pc));
	if (within)
		call.in = dh_omp_task_present(); /* a part may have become a task */
}

static struct dh_omp_depend depend_of(const struct dh_ompt_dependence *d)
{
	if (d->kind >= DH_OMPT_ALL_MEMORY)
		return (struct dh_omp_depend){NULL, DH_OMP_OUT};
	return (struct dh_omp_depend){d->variable.ptr, d->kind == DH_OMPT_IN ? DH_OMP_IN
						       : d->kind == DH_OMPT_INOUTSET
							   ? DH_OMP_INOUTSET
							   : DH_OMP_OUT};
}

/* Iterations of a loop that are waited for, and one that has been reached. */
static void on_doacross(const struct dh_ompt_dependence *d, size_t count)
{
	enum { MOST = 16 };
	uint64_t at[MOST];
	if (count > MOST)
		return;
	for (size_t i = 0; i < count; i++)
		at[i] = d[i].variable.value;
	if (d->kind == DH_OMPT_SOURCE)
		dh_omp_doacross_post(at, count);
	else
		dh_omp_doacross_wait(at, count);
}

static void on_dependences(union dh_ompt_data *task, const struct dh_ompt_dependence *d,
			   int count)
{
	if (count <= 0)
		return;
	if (d->kind == DH_OMPT_SOURCE || d->kind == DH_OMPT_SINK) {
		on_doacross(d, (size_t)count);
		return;
	}
	for (int i = 0; i < count; i++) {
		struct dh_omp_depend one = depend_of(&d[i]);
		dh_omp_task_depend(task_of(task), &one, 1);
	}
}

/* ---- running ---- */

/* The library's functions between the program and us use more than this of the stack, and
 * those between us and the task less. */
enum { LIBRARY_FRAMES = 192 };

static uintptr_t stack_here(void)
{
	return (uintptr_t)__builtin_frame_address(0) + LIBRARY_FRAMES;
}

static void take_up(union dh_ompt_data *next)
{
	struct dh_omp_task *task = task_of(next);
	if (next && next->value == DH_OMPT_PART) {
		dh_omp_part_begin();
		next->value |= DH_OMPT_BEGUN;
	}
	if (!task)
		return;
	if (!(next->value & DH_OMPT_BEGUN))
		dh_omp_task_begin(task, stack_here());
	else if (next->value & DH_OMPT_SUSPENDED)
		dh_omp_task_resume(task, stack_here());
	next->value = (uint64_t)(uintptr_t)task | DH_OMPT_BEGUN;
}

static void end(union dh_ompt_data *prior)
{
	if (prior->value & DH_OMPT_PART)
		dh_omp_part_end();
	else if (prior->value & DH_OMPT_BEGUN)
		dh_omp_task_end(task_of(prior), NULL, 0);
	else
		dh_omp_task_drop(task_of(prior)); /* was cancelled before it began */
}

/* Is it under way, and not put away? Then a thread that comes to it returns to it. */
static bool is_left(const union dh_ompt_data *next)
{
	return next && next->value != DH_OMPT_PART &&
	       (!task_of(next) || (next->value & DH_OMPT_BEGUN &&
				   !(next->value & DH_OMPT_SUSPENDED)));
}

static void leave(union dh_ompt_data *prior, const union dh_ompt_data *next)
{
	if (!task_of(prior) || !(prior->value & DH_OMPT_BEGUN) || !is_left(next))
		return;
	dh_omp_task_suspend(task_of(prior));
	prior->value |= DH_OMPT_SUSPENDED;
}

static void on_task_schedule(union dh_ompt_data *prior, int status,
			     union dh_ompt_data *next)
{
	switch (status) {
	case DH_OMPT_COMPLETE:
	case DH_OMPT_CANCEL:
		if (task_of(prior) || prior->value == (DH_OMPT_PART | DH_OMPT_BEGUN))
			end(prior);
		prior->value = 0;
		break;
	case DH_OMPT_DETACH:
		if (task_of(prior))
			dh_omp_task_end(task_of(prior), NULL, 0);
		break;
	case DH_OMPT_EARLY_FULFIL:
	case DH_OMPT_LATE_FULFIL:
		dh_omp_task_fulfil(task_of(prior));
		return;
	case DH_OMPT_TASKWAIT_COMPLETE: /* learns what it depends on, and is over */
		dh_omp_task_begin(task_of(prior), stack_here());
		dh_omp_task_end(task_of(prior), NULL, 0);
		prior->value = 0;
		return;
	default:
		leave(prior, next);
	}
	if (!is_left(next))
		take_up(next);
}

void dh_ompt_tasks(dh_ompt_set_callback *set)
{
	set(DH_OMPT_TASK_CREATE, (dh_ompt_function *)on_task_create);
	set(DH_OMPT_DEPENDENCES, (dh_ompt_function *)on_dependences);
	set(DH_OMPT_TASK_SCHEDULE, (dh_ompt_function *)on_task_schedule);
}
