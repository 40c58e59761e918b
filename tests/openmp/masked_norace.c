/* SPDX-License-Identifier: MIT */
/* What the second member runs, with a barrier after it. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp masked filter(1)
		x = 1;
#pragma omp barrier
		seen[omp_get_thread_num()] = x;
	}
	return 0;
}
