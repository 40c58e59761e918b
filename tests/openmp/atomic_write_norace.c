/* SPDX-License-Identifier: MIT */
/* An atomic write of what is read after the barrier. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
#pragma omp atomic write
			x = 1;
		}
#pragma omp barrier
		if (omp_get_thread_num() != 0)
			seen[omp_get_thread_num()] = x;
	}
	return 0;
}
