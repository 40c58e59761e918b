/* SPDX-License-Identifier: MIT */
/* Tasks of the team are done at the barrier. */
#include <omp.h>

int x[64], seen[64];

int main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();
#pragma omp task firstprivate(me)
		x[me] = 1;
#pragma omp barrier
		seen[me] = x[me];
	}
	return 0;
}
