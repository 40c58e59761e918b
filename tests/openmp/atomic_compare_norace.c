/* SPDX-License-Identifier: MIT */
/* The greatest is kept atomically. */
#include <omp.h>

int most;

int main(void)
{
#pragma omp parallel
	{
		int mine = omp_get_thread_num() + 1;
		{
#pragma omp atomic compare
			if (most < mine) {
				most = mine;
			}
		}
	}
	return 0;
}
