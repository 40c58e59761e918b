/* SPDX-License-Identifier: MIT */
/* libomp: how it finds us; regions, barriers, and what tasks wait for. See ompt.h. */
#include "runtime/intercept/ompt.h"
#include "runtime/abi.h"
#include "runtime/intercept/unhook.h"

/* ---- regions ---- */

static void on_parallel_begin(DH_UNUSED union dh_ompt_data *from,
			      DH_UNUSED const void *frame, union dh_ompt_data *parallel,
			      DH_UNUSED unsigned wanted, DH_UNUSED int flags,
			      const void *pc)
{
	parallel->ptr = dh_omp_team_begin(dh_ompt_place(pc));
}

static void on_parallel_end(union dh_ompt_data *parallel,
			    DH_UNUSED union dh_ompt_data *from, DH_UNUSED int flags,
			    DH_UNUSED const void *pc)
{
	dh_omp_team_end(parallel->ptr);
	parallel->ptr = NULL;
}

/* The initial task of a thread is in no region; that of a team of a league is. At the end
 * the library does not say of which region any more. */
static void on_implicit_task(int endpoint, union dh_ompt_data *parallel,
			     union dh_ompt_data *task, DH_UNUSED unsigned count,
			     unsigned number, DH_UNUSED int flags)
{
	if (endpoint == DH_OMPT_BEGIN && parallel && parallel->ptr) {
		dh_omp_implicit_begin(parallel->ptr, number);
		task->value = DH_OMPT_IMPLICIT_MARK;
	} else if (endpoint == DH_OMPT_END && task->value == DH_OMPT_IMPLICIT_MARK) {
		dh_omp_implicit_end();
		task->value = 0;
	}
}

/* ---- waiting ---- */

/* The end of a taskgroup has been told already, before its reductions were put together:
 * of the calling thread. */
static __thread bool group_ended __attribute__((tls_model("initial-exec")));

static void on_group(int endpoint)
{
	if (endpoint == DH_OMPT_BEGIN)
		dh_omp_group_begin();
	else if (!group_ended)
		dh_omp_group_end();
	group_ended = false;
}

static void on_barrier(int endpoint)
{
	if (endpoint == DH_OMPT_BEGIN)
		dh_omp_barrier_arrive();
	else
		dh_omp_barrier_leave();
}

/* Who has come to the end of a region may hear that it is over only when the next one
 * begins. */
static void on_sync_region(int kind, int endpoint, DH_UNUSED union dh_ompt_data *parallel,
			   DH_UNUSED union dh_ompt_data *task, DH_UNUSED const void *pc)
{
	switch (kind) {
	case DH_OMPT_SYNC_BARRIER:
	case DH_OMPT_SYNC_BARRIER_IMPLICIT:
	case DH_OMPT_SYNC_BARRIER_EXPLICIT:
	case DH_OMPT_SYNC_BARRIER_IMPLEMENTATION:
	case DH_OMPT_SYNC_BARRIER_WORKSHARE:
		on_barrier(endpoint);
		break;
	case DH_OMPT_SYNC_BARRIER_PARALLEL:
	case DH_OMPT_SYNC_BARRIER_TEAMS:
		if (endpoint == DH_OMPT_BEGIN)
			dh_omp_implicit_finish();
		break;
	case DH_OMPT_SYNC_TASKWAIT:
		if (endpoint == DH_OMPT_END)
			dh_omp_taskwait();
		break;
	case DH_OMPT_SYNC_TASKGROUP:
		on_group(endpoint);
		break;
	}
}

static void on_sync_region_wait(int kind, int endpoint,
				DH_UNUSED union dh_ompt_data *parallel,
				DH_UNUSED union dh_ompt_data *task,
				DH_UNUSED const void *pc)
{
	if (kind != DH_OMPT_SYNC_TASKGROUP || endpoint != DH_OMPT_END)
		return;
	dh_omp_group_end();
	group_ended = true;
}

/* ---- start ---- */

static int initialize(dh_ompt_lookup *lookup, DH_UNUSED int device,
		      DH_UNUSED union dh_ompt_data *data)
{
	dh_ompt_set_callback *set = (dh_ompt_set_callback *)lookup("ompt_set_callback");
	if (!set)
		return 0;
	set(DH_OMPT_PARALLEL_BEGIN, (dh_ompt_function *)on_parallel_begin);
	set(DH_OMPT_PARALLEL_END, (dh_ompt_function *)on_parallel_end);
	set(DH_OMPT_IMPLICIT_TASK, (dh_ompt_function *)on_implicit_task);
	set(DH_OMPT_SYNC_REGION, (dh_ompt_function *)on_sync_region);
	set(DH_OMPT_SYNC_REGION_WAIT, (dh_ompt_function *)on_sync_region_wait);
	dh_ompt_tasks(set);
	return 1;
}

static void finalize(DH_UNUSED union dh_ompt_data *data)
{
}

DH_EXPORT struct dh_ompt_tool *ompt_start_tool(unsigned omp_version,
					       const char *library_version);
struct dh_ompt_tool *ompt_start_tool(DH_UNUSED unsigned omp_version,
				     DH_UNUSED const char *library_version)
{
	static struct dh_ompt_tool tool = {initialize, finalize, {0}};
	dh_unhook_waits(DH_CALLER());
	return &tool;
}
