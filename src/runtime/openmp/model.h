/* SPDX-License-Identifier: MIT */
/*
 * Teams and tasks as openmp.h has them, for its parts: team.c, task.c, wait.c. What is
 * published between tasks is in clocks under the lock of their team.
 *
 * Rounds: barriers cut a region into rounds, and tasks end in the round that they were
 * made in. Nobody is two rounds ahead of anybody, so two places for what a round leaves
 * are used in turn; a thread that is slow to leave a barrier does not learn what faster
 * ones do after it.
 */
#ifndef DH_RUNTIME_OPENMP_MODEL_H
#define DH_RUNTIME_OPENMP_MODEL_H

#include "runtime/observer.h"
#include "runtime/openmp/depend.h"
#include "runtime/openmp/family.h"
#include "runtime/openmp/openmp.h"
#include "runtime/openmp/strand.h"

struct dh_omp_team {
	uint32_t refs;	    /* atomic: of its implicit tasks and of who began it */
	uint32_t site, who; /* where it began, in whom; 0 for that of an initial task */
	struct dh_start start;
	struct dh_lock lock;
	struct dh_clockset round[2]; /* who arrived at the barrier; under lock */
	struct dh_clockset tasks[2]; /* explicit tasks that ended; likewise */
	struct dh_clockset end;	     /* of implicit tasks; likewise */
	struct dh_clockset ordered;  /* likewise */
	struct dh_clockset *across;  /* doacross.c; likewise */
	struct dh_vec(struct dh_omp_task *) patterns; /* dh_omp_task_leave(); likewise */
};

struct dh_omp_group {
	struct dh_omp_group *outer;
	uint32_t name;		 /* no other has it, or had */
	struct dh_clockset ends; /* of tasks made in it; under the team's lock */
};

enum dh_omp_state { DH_OMP_MADE, DH_OMP_RUNS, DH_OMP_ENDED };

struct dh_omp_task {
	uint32_t refs;	 /* atomic: of who runs it, of its event, of its children */
	uint8_t flags;	 /* enum dh_omp_task_flags */
	bool implicit;	 /* runs in the flow of its thread */
	bool guest;	 /* runs in the flow of the task below it */
	bool asked;	 /* dh_omp_thread_asked() */
	bool finished;	 /* implicit: has come to its end */
	bool told;	 /* a task that comes of it has told others: family.h; atomic */
	uint8_t state;	 /* enum dh_omp_state; the end: under the team's lock */
	uint32_t round;	 /* of an explicit one: that it was made in */
	uint32_t depth;	 /* how many tasks it comes from */
	uint32_t parts;	 /* that have begun within each other: dh_omp_part_begin() */
	uint32_t waited; /* version of its clock that it has by waiting alone, or 0 */
	uint32_t name;	 /* once it has made a task: no other has it, or had */
	uint32_t
	    who; /* what it is called (names.h), or what the thread's was before it */
	struct dh_omp_team *team;
	struct dh_omp_task *parent; /* of an explicit one: who made it */
	struct dh_omp_task *below;  /* while it runs: the one that was left for it, */
	struct dh_omp_task *bottom; /* and the first of them all: dh_omp_host(); or NULL */
	struct dh_omp_group *group; /* the innermost taskgroup around what it does */
	struct dh_start start;
	uintptr_t sent;		      /* what engines know its creation as (observer.h) */
	struct dh_moment *kept;	      /* dh_moment_again() */
	struct dh_family *family;     /* that it is of, or NULL */
	struct dh_family *brood;      /* that its next child is of; NULL: a new one */
	uint64_t began;		      /* epoch, where it has a strand */
	struct dh_moment *fulfilled;  /* its event, before its end; under lock */
	struct dh_clockset children;  /* that ended; under the team's lock */
	struct dh_omp_places *places; /* dependences among its children; likewise */
	struct dh_omp_depend *depend; /* its own */
	size_t depends;
	struct dh_strand *strand; /* while it runs and is no guest */
	struct dh_flow *flow;	  /* of an implicit one, while it is left */
	uintptr_t stack;	  /* see dh_omp_task_begin() */
	size_t frames;		  /* of the shadow stack where it began */
};

/* Through a clock: all that the calling thread has done, after which its time frame must
 * end; and all that was told. */
DH_INLINE void dh_omp_tell(struct dh_clockset *c, struct dh_self *t)
{
	dh_saw(t, DH_SEEN_SEND, (uintptr_t)c, 0);
	dh_clockset_join(c, t);
}

DH_INLINE void dh_omp_learn(struct dh_self *t, const struct dh_clockset *c)
{
	dh_clockset_learn(t, c);
	dh_saw(t, DH_SEEN_RECEIVE, (uintptr_t)c, 0);
}

/* The calling thread where it may do anything here; NULL else. */
struct dh_self *dh_omp_self(void);

/* Its present task; an initial one is made where there is none, and of parts that have
 * begun tasks are made. The thread is `inside`. */
struct dh_omp_task *dh_omp_present(struct dh_self *t);
void dh_omp_set_present(struct dh_omp_task *task);

/* The flow of the present task is left for another one, and found again. */
void dh_omp_flow_leave(struct dh_omp_task *task, struct dh_self *t);
void dh_omp_flow_return(struct dh_omp_task *task, struct dh_self *t);

/* What a task that has asked for its thread has done comes before what the next one that
 * asks does. */
void dh_omp_thread_tell(const struct dh_omp_task *task, struct dh_self *t);

/* Publishes what the calling thread has done: its time frame ends. */
void dh_omp_start_note(struct dh_start *start, struct dh_omp_task *task,
		       struct dh_self *t);
void dh_omp_start_learn(struct dh_self *t, const struct dh_start *start);

/* Id of the thread itself, whatever it runs. */
uint32_t dh_omp_host(const struct dh_self *t);

/* Makes tasks of the parts of the present one, and returns the innermost. */
struct dh_omp_task *dh_omp_parts_make(struct dh_omp_task *task);

/* Gives a reference back; what has none is no more. */
void dh_omp_task_unref(struct dh_omp_task *task);
void dh_omp_team_unref(struct dh_omp_team *team);

void dh_omp_doacross_free(struct dh_omp_team *team);

#endif
