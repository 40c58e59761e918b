/* SPDX-License-Identifier: MIT */
/* A task ends when its event is fulfilled; the wait is for that. */
#include <omp.h>

int x, y;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		omp_event_handle_t event;
#pragma omp task detach(event)
		x = 1;
#pragma omp task firstprivate(event)
		{
			y = 1;
			omp_fulfill_event(event);
		}
#pragma omp taskwait
		x += 2;
#pragma omp taskwait
	}
	return y != 1;
}
