/* SPDX-License-Identifier: MIT */
/* What follows the fulfilment is not waited for. */
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
			omp_fulfill_event(event);
			y = 1; // race: a
		}
#pragma omp task depend(in : x)
		seen = x + y; // race: b
#pragma omp taskwait
	}
	return seen < 1;
}
