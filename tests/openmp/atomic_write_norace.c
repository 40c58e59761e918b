/* SPDX-License-Identifier: MIT */
/* An atomic write of what is read after the barrier. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp atomic write
		x = 1;
#pragma omp barrier
		seen[omp_get_thread_num()] = x;
	}
	return 0;
}
