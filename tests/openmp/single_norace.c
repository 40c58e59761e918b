/* SPDX-License-Identifier: MIT */
/* All wait at its end. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp single
		x = 1;
		seen[omp_get_thread_num()] = x;
	}
	return 0;
}
