/* SPDX-License-Identifier: MIT */
/*
 * libgomp: parallel regions and barriers. libgomp is not instrumented, and its own
 * barriers are made of system calls; so the body of a region is called through one of
 * ours, and calls that wait have the model's around them.
 */
#include "base/base.h"
#include "runtime/abi.h"
#include "runtime/intercept/gomp.h"
#include "runtime/intercept/ompt.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

DH_REAL_WANT(omp_get_thread_num);

/* What libgomp is given in place of the program's data. It reads the first word itself
 * where there are task reductions. */
struct region {
	uintptr_t *reductions;
	void (*body)(void *);
	void *data;
	struct dh_omp_team *team;
};

static void run_body(void *arg)
{
	struct region *r = arg;
	if (r->team)
		dh_omp_implicit_begin(r->team, (unsigned)DH_REAL(omp_get_thread_num)());
	r->body(r->data);
	if (r->team)
		dh_omp_implicit_end();
}

static struct dh_ompt_call region_begin(struct region *r)
{
	uint64_t place = DH_GOMP_PLACE(r->body);
	if (!dh_gomp_is_libomp())
		r->team = dh_omp_team_begin(place);
	return dh_ompt_call_begin(place, false);
}

#define REGION(call)                                                                     \
	do {                                                                             \
		struct region r = {NULL, body, data, NULL};                              \
		dh_call_begin(DH_CALLER());                                              \
		struct dh_ompt_call outer = region_begin(&r);                            \
		call;                                                                    \
		dh_omp_team_end(r.team);                                                 \
		dh_ompt_call_end(outer);                                                 \
		dh_call_end();                                                           \
	} while (0)

DH_REAL_WANT(GOMP_parallel);
DH_EXPORT void GOMP_parallel(dh_gomp_body *body, void *data, unsigned count,
			     unsigned flags)
{
	REGION(DH_REAL(GOMP_parallel)(run_body, &r, count, flags));
}

DH_REAL_WANT(GOMP_parallel_sections);
DH_EXPORT void GOMP_parallel_sections(dh_gomp_body *body, void *data, unsigned count,
				      unsigned sections, unsigned flags)
{
	REGION(DH_REAL(GOMP_parallel_sections)(run_body, &r, count, sections, flags));
}

DH_REAL_WANT(GOMP_parallel_reductions);
DH_EXPORT unsigned GOMP_parallel_reductions(dh_gomp_body *body, void *data,
					    unsigned count, unsigned flags)
{
	unsigned result;
	REGION({
		r.reductions = *(uintptr_t **)data;
		result = DH_REAL(GOMP_parallel_reductions)(run_body, &r, count, flags);
	});
	return result;
}

#define PARALLEL_LOOP(name)                                                              \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT void name(dh_gomp_body *body, void *data, unsigned count, long first,  \
			    long last, long step, long chunk, unsigned flags)            \
	{                                                                                \
		REGION(DH_REAL(name)(run_body, &r, count, first, last, step, chunk,      \
				     flags));                                            \
	}
#define PARALLEL_LOOP_BY_ENVIRONMENT(name)                                               \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT void name(dh_gomp_body *body, void *data, unsigned count, long first,  \
			    long last, long step, unsigned flags)                        \
	{                                                                                \
		REGION(DH_REAL(name)(run_body, &r, count, first, last, step, flags));    \
	}
PARALLEL_LOOP(GOMP_parallel_loop_static)
PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_guided)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
PARALLEL_LOOP_BY_ENVIRONMENT(GOMP_parallel_loop_runtime)
PARALLEL_LOOP_BY_ENVIRONMENT(GOMP_parallel_loop_nonmonotonic_runtime)
PARALLEL_LOOP_BY_ENVIRONMENT(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/* ---- teams on the host: one after the other, though nothing orders them ---- */

struct league {
	void (*body)(void *);
	void *data;
	struct dh_omp_task *pattern;
};

static void run_team(void *arg)
{
	const struct league *l = arg;
	struct dh_omp_task *k = dh_omp_task_like(l->pattern);
	dh_omp_task_begin(k, (uintptr_t)__builtin_frame_address(0));
	l->body(l->data);
	dh_omp_task_end(k, NULL, 0);
}

DH_REAL_WANT(GOMP_teams_reg);
DH_EXPORT void GOMP_teams_reg(dh_gomp_body *body, void *data, unsigned teams,
			      unsigned limit, unsigned flags)
{
	if (dh_gomp_is_libomp()) {
		DH_REAL(GOMP_teams_reg)(body, data, teams, limit, flags);
		return;
	}
	dh_call_begin(DH_CALLER());
	dh_omp_group_begin();
	struct league l = {body, data,
			   dh_omp_task_create(0, NULL, 0, DH_GOMP_PLACE(body))};
	DH_REAL(GOMP_teams_reg)(run_team, &l, teams, limit, flags);
	dh_omp_task_drop(l.pattern);
	dh_omp_group_end();
	dh_call_end();
}

/* ---- barriers ---- */

static void arrive(void)
{
	if (!dh_gomp_is_libomp())
		dh_omp_barrier_arrive();
}

static void leave(void)
{
	if (!dh_gomp_is_libomp())
		dh_omp_barrier_leave();
}

#define BARRIER(name)                                                                    \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT void name(void)                                                        \
	{                                                                                \
		arrive();                                                                \
		DH_REAL(name)();                                                         \
		leave();                                                                 \
	}
#define BARRIER_CANCEL(name)                                                             \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT bool name(void)                                                        \
	{                                                                                \
		arrive();                                                                \
		bool cancelled = DH_REAL(name)();                                        \
		leave();                                                                 \
		return cancelled;                                                        \
	}
BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)
BARRIER_CANCEL(GOMP_barrier_cancel)
BARRIER_CANCEL(GOMP_loop_end_cancel)
BARRIER_CANCEL(GOMP_sections_end_cancel)

/* The end of a loop, of sections or of a scope with a task reduction: a taskgroup ends,
 * which was the whole team's, and then there is a barrier. */
DH_REAL_WANT(GOMP_workshare_task_reduction_unregister);
DH_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
	arrive();
	DH_REAL(GOMP_workshare_task_reduction_unregister)(cancelled);
	leave();
}

/* `single copyprivate`: the one who runs it (told by NULL) meets the others at its end.
 */
DH_REAL_WANT(GOMP_single_copy_start);
DH_EXPORT void *GOMP_single_copy_start(void)
{
	arrive();
	void *copied = DH_REAL(GOMP_single_copy_start)();
	if (copied)
		leave();
	return copied;
}

DH_REAL_WANT(GOMP_single_copy_end);
DH_EXPORT void GOMP_single_copy_end(void *copied)
{
	arrive();
	DH_REAL(GOMP_single_copy_end)(copied);
	leave();
}

/* ---- who am I ---- */

__thread unsigned dh_gomp_asks __attribute__((tls_model("initial-exec")));

DH_EXPORT int omp_get_thread_num(void)
{
	if (dh_gomp_asks)
		dh_gomp_asks--;
	else
		dh_omp_thread_asked();
	return DH_REAL(omp_get_thread_num)();
}
