/* SPDX-License-Identifier: MIT */
/* A barrier after what the first member runs. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp master
		x = 1;
#pragma omp barrier
		seen[omp_get_thread_num()] = x;
	}
	return 0;
}
