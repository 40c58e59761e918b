/* SPDX-License-Identifier: MIT */
/* The barrier at the end of a loop is written by itself. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp for nowait schedule(static, 1)
		for (int i = 0; i < 64; i++)
			if (i == 1)
				x = i;
#pragma omp barrier
		seen[omp_get_thread_num()] = x;
	}
	return 0;
}
