/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* A team within a team, and a task group. */
#include <omp.h>

static int x[2][2], sums[2];

int main(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
		{
			x[outer][omp_get_thread_num()] = 1;
#pragma omp barrier
#pragma omp single
			sums[outer] = x[outer][0] + x[outer][1];
		}
#pragma omp barrier
#pragma omp single
		{
#pragma omp taskgroup
			{
#pragma omp task
				x[0][0] = sums[0];
#pragma omp task
				x[1][0] = sums[1];
			}
			sums[0] = x[0][0] + x[1][0];
		}
	}
	return sums[0] != 4;
}
