/* SPDX-License-Identifier: MIT */
/* Who depends on the detached task comes after its event's fulfilment. */
#include <omp.h>

int x, y, seen;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x)
		x = 1;
#pragma omp task firstprivate(event)
		{
			y = 1;
			omp_fulfill_event(event);
		}
#pragma omp task depend(in : x)
		seen = x + y;
#pragma omp taskwait
	}
	return seen < 1;
}
