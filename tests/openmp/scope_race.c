/* SPDX-License-Identifier: MIT */
// threads: 2
/* A scope without the barrier at its end. */
#include <omp.h>

int x[64], seen[64];

int main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();
		int next = (me + 1) % omp_get_num_threads();
#pragma omp scope nowait
		x[me] = 1;	    // race: a
		seen[me] = x[next]; // race: b
	}
	return 0;
}
