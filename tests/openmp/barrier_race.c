/* SPDX-License-Identifier: MIT */
// threads: 2
/* Before the barrier all write their own, and read the neighbour's too early. */
#include <omp.h>

int x[64], seen[64];

int main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();
		int next = (me + 1) % omp_get_num_threads();
		x[me] = 1;	    // race: a
		seen[me] = x[next]; // race: b
#pragma omp barrier
	}
	return 0;
}
