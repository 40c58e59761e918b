/* SPDX-License-Identifier: MIT */
/* Tasks are done at the barrier, not before. */
#include <omp.h>

int x[64], seen[64];

int main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();
#pragma omp task firstprivate(me)
		x[me] = 1;	  // race: a
		seen[me] = x[me]; // race: b
	}
	return 0;
}
