/* SPDX-License-Identifier: MIT */
/*
 * libgomp: target regions, where there is no device and the host runs them. What `nowait`
 * lets run later is run at once then, in a task of its own, which is one of the orders
 * that the program allows. Its teams are run one after the other, though nothing orders
 * them. With a device nothing is known of what happens on it.
 */
#include "base/base.h"
#include "runtime/abi.h"
#include "runtime/intercept/gomp.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

enum { NOWAIT = 1 }; /* of the flags */

/* The target region that the calling thread runs: its place, and an address on the stack
 * above all of it; and the team of it that is under way. */
struct region {
	uint64_t place;
	uintptr_t stack;
	struct dh_omp_task *team;
};
static __thread struct region region __attribute__((tls_model("initial-exec")));

DH_REAL_WANT(GOMP_target_ext);
DH_REAL_WANT(GOMP_taskwait_depend);
DH_REAL_WANT(omp_get_num_devices);

DH_EXPORT void GOMP_target_ext(int device, dh_gomp_body *body, size_t maps,
			       void **addresses, size_t *sizes, unsigned short *kinds,
			       unsigned flags, void **depend, void **arguments)
{
	struct dh_omp_depend depends[DH_GOMP_DEPENDS];
	size_t n = depend ? dh_gomp_depends(depend, depends) : 0;
	bool host = DH_REAL(omp_get_num_devices)() == 0;
	struct dh_omp_task *task = NULL;
	struct region outer = region;
	dh_call_begin(DH_CALLER());
	if (host) {
		region = (struct region){DH_GOMP_PLACE(body),
					 (uintptr_t)__builtin_frame_address(0), NULL};
		task = dh_omp_task_create(flags & NOWAIT ? 0 : DH_OMP_UNDEFERRED, depends,
					  n, region.place);
		if (depend)
			DH_REAL(GOMP_taskwait_depend)(depend);
		dh_omp_task_begin(task, region.stack);
	}
	DH_REAL(GOMP_target_ext)
	(device, body, maps, addresses, sizes, kinds, host ? flags & ~NOWAIT : flags,
	 depend, arguments);
	region = outer;
	if (task)
		dh_omp_task_end(task, NULL, 0);
	dh_call_end();
}

/* ---- teams of a target region ---- */

static void team_begin(bool first)
{
	if (first)
		dh_omp_group_begin();
	region.team = dh_omp_task_create(0, NULL, 0, region.place);
	dh_omp_task_begin(region.team, region.stack);
}

static void team_end(bool last)
{
	dh_omp_task_end(region.team, NULL, 0);
	region.team = NULL;
	if (last)
		dh_omp_group_end();
}

/* The body of the region goes through its teams in a loop, whose condition this is. They
 * all have the body's frame, which starts fresh for each: what is private to a team and
 * the next one's is at one place in it. */
DH_REAL_WANT(GOMP_teams4);
DH_EXPORT bool GOMP_teams4(unsigned least, unsigned most, unsigned limit, bool first)
{
	bool more = DH_REAL(GOMP_teams4)(least, most, limit, first);
	if (!region.place)
		return more;
	if (!first)
		team_end(!more);
	if (more)
		team_begin(first);
	return more;
}
