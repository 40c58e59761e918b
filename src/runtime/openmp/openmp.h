/* SPDX-License-Identifier: MIT */
/*
 * OpenMP as the detector sees it: teams, implicit and explicit tasks, and what orders
 * them. Told by a front end that knows a library (intercept/gomp_*.c for gcc's libgomp),
 * in the words below and in nobody's calling conventions.
 *
 * An explicit task is a thread of its own to the detector, whichever thread of the kernel
 * runs it: it has a slot and a clock (strand.h) while it runs, and shares nothing with
 * other tasks but what the edges below bring. An implicit task is the thread that runs
 * it, under the name of its region.
 *
 *   creation             comes before all that the task does
 *   end of a task        before what follows its parent's taskwait, the end of the
 *                        taskgroups around it, its team's next barrier, and tasks that
 *                        depend on it
 *   undeferred, included the parent goes on in it: no thread of its own
 *   begin of a region    before its implicit tasks; their ends, and those of all explicit
 *                        tasks of the team, before what follows the region
 *   barrier              what each did before it, before what all do after it
 *
 * The calling thread has a present task: the innermost that it runs. One that was never
 * in a region has an initial task, made when it is first needed.
 *
 * Context: any thread that runs code of the program, outside signal handlers; anywhere
 * else (not attached, ending, within a handler) these do nothing, and those that give
 * something give NULL, which the others take. They allocate and raise `inside`
 * themselves; none blocks.
 */
#ifndef DH_RUNTIME_OPENMP_OPENMP_H
#define DH_RUNTIME_OPENMP_OPENMP_H

#include "base/base.h"

struct dh_omp_team;
struct dh_omp_task;

/* ---- regions ---- */

/* In who begins a region at pc, before any of it runs. */
struct dh_omp_team *dh_omp_team_begin(uint64_t pc);

/* In who began it, when all its implicit tasks have come to their ends: their ends, and
 * those of the team's explicit tasks, come before what follows. */
void dh_omp_team_end(struct dh_omp_team *team);

/* The calling thread begins, as number `number` of the team, an implicit task, and comes
 * to its end: nothing of the program follows but explicit tasks that it may run while it
 * waits for the others. end: back to what it was in before; may come as late as it likes,
 * also after dh_omp_team_end(). Without a finish before it, it is one. */
void dh_omp_implicit_begin(struct dh_omp_team *team, unsigned number);
void dh_omp_implicit_finish(void);
void dh_omp_implicit_end(void);

/* A barrier of the team of the present implicit task, written or implied: before the
 * library's call, and after it. */
void dh_omp_barrier_arrive(void);
void dh_omp_barrier_leave(void);

/* The structured block of an `ordered` region: each comes after those before it. */
void dh_omp_ordered_begin(void);
void dh_omp_ordered_end(void);

/* `ordered depend` in a loop of the present task's team: the iteration at these numbers
 * has been reached, before the library is told, and has been waited for. */
void dh_omp_doacross_post(const uint64_t *at, size_t count);
void dh_omp_doacross_wait(const uint64_t *at, size_t count);

/* ---- explicit tasks ---- */

enum dh_omp_task_flags {
	DH_OMP_UNDEFERRED = 1, /* by a clause of the program: if(0). Not because the
				* library happens to run it at once. */
	DH_OMP_FINAL = 2,      /* the tasks that it makes are included: undeferred */
	DH_OMP_DETACHED = 4,   /* dh_omp_task_fulfil() will be called for it, which is
				* part of its end, and one more reference */
};

enum dh_omp_depend_kind {
	DH_OMP_IN,
	DH_OMP_OUT,	 /* and inout, and mutexinoutset: who has it comes after those
			  * that had it before */
	DH_OMP_INOUTSET, /* not ordered among each other */
};

/* address NULL with DH_OMP_OUT is all memory. */
struct dh_omp_depend {
	const void *address;
	enum dh_omp_depend_kind kind;
};

/* The present task makes one, at pc. What it depends on is copied. It counts as one
 * reference, which dh_omp_task_end() drops; a task that the library throws away without
 * having run it, or whose creation failed, is for dh_omp_task_drop(). */
struct dh_omp_task *dh_omp_task_create(unsigned flags, const struct dh_omp_depend *depend,
				       size_t depends, uint64_t pc);
void dh_omp_task_drop(struct dh_omp_task *task);

/* In who created it, before it can begin: what was done since then belongs to its
 * creation, like copies of what it is given. */
void dh_omp_task_made(struct dh_omp_task *task);

/* It depends on more than was said when it was made; before it begins. */
void dh_omp_task_depend(struct dh_omp_task *task, const struct dh_omp_depend *depend,
			size_t depends);

/* More tasks like one that was created and will never run itself: parts of a taskloop,
 * made when they begin. The pattern must live until all of them are made: it is dropped
 * when they have ended, or left to the team to drop at the end of the region. */
struct dh_omp_task *dh_omp_task_like(const struct dh_omp_task *pattern);
void dh_omp_task_leave(struct dh_omp_task *pattern);

/* The present task is one that a library has made to make tasks for the program, and makes
 * one: a child of the same parent, made at the same place as itself. */
struct dh_omp_task *dh_omp_task_beside(unsigned flags);

/* The calling thread leaves its present task for this one, whose dependences are met, and
 * which begins: stack is an address on the thread's stack that is above all that the task
 * will use and below all that is in use. */
void dh_omp_task_begin(struct dh_omp_task *task, uintptr_t stack);

/* The task, which is the present one, has come to its end; the calling thread is back in
 * the one that it left for it. arguments, size: memory of the task's own outside its
 * stack, which starts fresh; NULL and 0 where there is none. */
void dh_omp_task_end(struct dh_omp_task *task, void *arguments, size_t size);

/* An undeferred task, without dependences or an event, begins and ends in the present one.
 * It need not be created, nor be known by anything: as long as it makes no task itself,
 * and begins no group or region, it is counted and no more. */
void dh_omp_part_begin(void);
void dh_omp_part_end(void);

/* For libraries that move a task that has begun: the calling thread leaves it, the
 * present one, for the one below; and takes it up again, here or in another thread. */
void dh_omp_task_suspend(struct dh_omp_task *task);
void dh_omp_task_resume(struct dh_omp_task *task, uintptr_t stack);

/* What the present task is, or the one whose part that is (dh_omp_part_begin); NULL where
 * there is none yet. */
struct dh_omp_task *dh_omp_task_present(void);

/* Before the library is told that a detached task's event has been fulfilled. */
void dh_omp_task_fulfil(struct dh_omp_task *task);

/* ---- waiting ---- */

/* After a taskwait of the present task: all its children have ended. */
void dh_omp_taskwait(void);

/* After a taskwait with dependences: those of its children that a task with these would
 * come after. */
void dh_omp_taskwait_depend(const struct dh_omp_depend *depend, size_t depends);

/* Around a taskgroup of the present task, the second after the library's call. */
void dh_omp_group_begin(void);
void dh_omp_group_end(void);

/* ---- memory ---- */

/* Arguments and private variables of a task are here, and start fresh: whatever the
 * library used the memory for, nobody has touched them. */
void dh_omp_task_memory(const void *start, size_t size);

/* The program has asked which thread it is in: what the present task does with memory of
 * that thread comes after what tasks did that asked before in the same thread. */
void dh_omp_thread_asked(void);

/* A private copy of a variable, for a reduction. The library has one for each thread, all
 * in one block of the heap: tasks that the same thread runs share one in turn. */
void dh_omp_reduction_copy(const void *copy);

/* A variable that a library may use for its private copy. */
void dh_omp_reduction_variable(const void *variable, size_t size);

#endif
