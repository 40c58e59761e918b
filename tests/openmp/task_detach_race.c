/* SPDX-License-Identifier: MIT */
/* Nobody waits for the task that ends with an event. */
#include <omp.h>

int x, y;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		omp_event_handle_t event;
#pragma omp task detach(event)
		x = 1; // race: a
#pragma omp task firstprivate(event)
		{
			y = 1;
			omp_fulfill_event(event);
		}
		x += 2; // race: b
#pragma omp taskwait
	}
	return y != 1;
}
