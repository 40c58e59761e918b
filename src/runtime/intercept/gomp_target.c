/* SPDX-License-Identifier: MIT */
/*
 * libgomp: target regions, where there is no device and the host runs them. What `nowait`
 * lets run later is run at once then, in a task of its own, which is one of the orders
 * that the program allows. With a device nothing is known of what happens on it.
 */
#include "base/base.h"
#include "runtime/abi.h"
#include "runtime/intercept/gomp.h"
#include "runtime/intercept/real.h"

enum { NOWAIT = 1 }; /* of the flags */

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
	if (host) {
		task = dh_omp_task_create(flags & NOWAIT ? 0 : DH_OMP_UNDEFERRED, depends,
					  n, DH_GOMP_PLACE(body));
		if (depend)
			DH_REAL(GOMP_taskwait_depend)(depend);
		dh_omp_task_begin(task, (uintptr_t)__builtin_frame_address(0));
	}
	DH_REAL(GOMP_target_ext)
	(device, body, maps, addresses, sizes, kinds, host ? flags & ~NOWAIT : flags,
	 depend, arguments);
	if (task)
		dh_omp_task_end(task, NULL, 0);
}
