/* SPDX-License-Identifier: MIT */
/*
 * clang's OpenMP library, libomp, which tells a tool what it does (OMPT, chapter 4 of the
 * OpenMP specification): the part of that interface that is used, in our own words. The
 * library asks for ompt_start_tool() when it starts, finds ours, and calls the functions
 * that are handed to it from then on (ompt*.c). What it does not tell, or tells too late,
 * is seen at the functions that the compiler calls (kmpc*.c).
 *
 * Context: threads that libomp runs code of the program in, within a call of the library.
 */
#ifndef DH_RUNTIME_INTERCEPT_OMPT_H
#define DH_RUNTIME_INTERCEPT_OMPT_H

#include "runtime/openmp/openmp.h"

/* A word that the library keeps for us with a region or a task; 0 at first. */
union dh_ompt_data {
	uint64_t value;
	void *ptr;
};

typedef void dh_ompt_function(void);
typedef dh_ompt_function *dh_ompt_lookup(const char *name);

struct dh_ompt_tool {
	int (*initialize)(dh_ompt_lookup *lookup, int device, union dh_ompt_data *data);
	void (*finalize)(union dh_ompt_data *data);
	union dh_ompt_data data;
};

struct dh_ompt_dependence {
	union dh_ompt_data variable;
	int kind; /* enum dh_ompt_dependence_kind */
};

/* ---- numbers of the specification ---- */

enum dh_ompt_event {
	DH_OMPT_PARALLEL_BEGIN = 3,
	DH_OMPT_PARALLEL_END = 4,
	DH_OMPT_TASK_CREATE = 5,
	DH_OMPT_TASK_SCHEDULE = 6,
	DH_OMPT_IMPLICIT_TASK = 7,
	DH_OMPT_SYNC_REGION_WAIT = 16,
	DH_OMPT_DEPENDENCES = 18,
	DH_OMPT_SYNC_REGION = 23,
};

enum dh_ompt_endpoint { DH_OMPT_BEGIN = 1, DH_OMPT_END = 2 };

enum dh_ompt_sync {
	DH_OMPT_SYNC_BARRIER = 1,
	DH_OMPT_SYNC_BARRIER_IMPLICIT = 2,
	DH_OMPT_SYNC_BARRIER_EXPLICIT = 3,
	DH_OMPT_SYNC_BARRIER_IMPLEMENTATION = 4,
	DH_OMPT_SYNC_TASKWAIT = 5,
	DH_OMPT_SYNC_TASKGROUP = 6,
	DH_OMPT_SYNC_BARRIER_WORKSHARE = 8,
	DH_OMPT_SYNC_BARRIER_PARALLEL = 9, /* at the end of a region */
	DH_OMPT_SYNC_BARRIER_TEAMS = 10,
};

enum dh_ompt_task_flag {
	DH_OMPT_TASK_INITIAL = 0x1,
	DH_OMPT_TASK_IMPLICIT = 0x2,
	DH_OMPT_TASK_TASKWAIT = 0x10,
	DH_OMPT_TASK_FINAL = 0x20000000,
};

/* What becomes of the task that a thread leaves. */
enum dh_ompt_status {
	DH_OMPT_COMPLETE = 1,
	DH_OMPT_YIELD = 2,
	DH_OMPT_CANCEL = 3,
	DH_OMPT_DETACH = 4,
	DH_OMPT_EARLY_FULFIL = 5,
	DH_OMPT_LATE_FULFIL = 6,
	DH_OMPT_SWITCH = 7,
	DH_OMPT_TASKWAIT_COMPLETE = 8,
};

enum dh_ompt_dependence_kind {
	DH_OMPT_IN = 1,
	DH_OMPT_SOURCE = 5,
	DH_OMPT_SINK = 6,
	DH_OMPT_INOUTSET = 7,
	DH_OMPT_ALL_MEMORY = 34, /* and above */
};

/* ---- what we keep in the words of tasks ---- */

/* An implicit task that we know; else the address of a struct dh_omp_task, or 0, with
 * these. */
enum {
	DH_OMPT_IMPLICIT_MARK = 4,
	DH_OMPT_BEGUN = 1,     /* it runs, or has been left for another */
	DH_OMPT_SUSPENDED = 2, /* it has been put away, and will be taken up somewhere */
	DH_OMPT_PART = 8,      /* without an address: dh_omp_part_begin() */
};

/* ---- events ---- */

/* Gives the library a function to call at an event; false where it has no such. */
typedef int dh_ompt_set_callback(int event, dh_ompt_function *callback);

/* ompt_task.c: tells the library what to call for tasks. */
void dh_ompt_tasks(dh_ompt_set_callback *set);

/* ---- from kmpc.c to ompt_task.c ---- */

/* The program is in a call of the library, at pc, that makes tasks; undeferred: by a
 * clause. Holds for tasks of the present task; what is returned is for the end. */
struct dh_ompt_call {
	const struct dh_omp_task *in;
	uint64_t pc;
	bool undeferred;
};
struct dh_ompt_call dh_ompt_call_begin(uint64_t pc, bool undeferred);
void dh_ompt_call_end(struct dh_ompt_call outer);

/* Where that is, or else what the library says. */
uint64_t dh_ompt_place(const void *pc);

/* The next task that the present one makes has an event. */
void dh_ompt_next_is_detached(void);

/* The next task that is created in this thread is a part of a taskloop, or is to make such,
 * by whichever task. */
void dh_ompt_next_is_copy(void);

#endif
