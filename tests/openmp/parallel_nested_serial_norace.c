/* SPDX-License-Identifier: MIT */
/* Only the outer region has a team: the inner ones have one member each. */
#include <omp.h>

static int x[64];

int main(void)
{
	omp_set_max_active_levels(1);
#pragma omp parallel
	{
		int outer = omp_get_thread_num();
#pragma omp parallel
		x[outer] += outer;
		x[outer]++;
	}
	return 0;
}
