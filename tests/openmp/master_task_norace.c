/* SPDX-License-Identifier: MIT */
/* Tasks of the first member; the others wait for them at the barrier. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp master
		{
#pragma omp task
			x = 1;
#pragma omp taskwait
		}
#pragma omp barrier
		if (omp_get_thread_num() != 0)
			seen[omp_get_thread_num()] = x;
	}
	return 0;
}
