/* SPDX-License-Identifier: MIT */
/* Before the barrier all write their own, after it they read the neighbour's. */
#include <omp.h>

int x[64], seen[64];

int main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();
		int next = (me + 1) % omp_get_num_threads();
		x[me] = 1;
#pragma omp barrier
		seen[me] = x[next];
	}
	return 0;
}
