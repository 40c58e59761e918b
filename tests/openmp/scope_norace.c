/* SPDX-License-Identifier: MIT */
/* A scope has a barrier at its end. */
#include <omp.h>

int x[64], seen[64];

int main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();
		int next = (me + 1) % omp_get_num_threads();
#pragma omp scope
		x[me] = 1;
		seen[me] = x[next];
	}
	return 0;
}
