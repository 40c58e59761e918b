/* SPDX-License-Identifier: MIT */
/* Teams within a team: each inner member has a place of its own. */
#include <omp.h>

static int x[2][2];

int main(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
		x[outer][omp_get_thread_num()] = 1;
		x[outer][0] += x[outer][1];
	}
	return 0;
}
