/* SPDX-License-Identifier: MIT */
/* An atomic read of what is written atomically. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();
		if (me == 0) {
#pragma omp atomic write
			x = 1;
		} else {
#pragma omp atomic read
			seen[me] = x;
		}
	}
	return 0;
}
