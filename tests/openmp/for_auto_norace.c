/* SPDX-License-Identifier: MIT */
/* The library chooses the schedule. */
#include <omp.h>
#include "../programs/invisible.h"

static invisible_step_t chunks; /* that members have begun */
int x;

int main(void)
{
#pragma omp parallel
	{
		int begun = 0;
#pragma omp for schedule(auto)
		for (int i = 0; i < 64; i++) {
			if (!begun++ && omp_get_num_threads() > 1) {
				invisible_advance(&chunks);
				invisible_await(&chunks, 2);
			}
#pragma omp atomic
			x += i;
		}
	}
	return 0;
}
