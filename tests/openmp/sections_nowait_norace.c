/* SPDX-License-Identifier: MIT */
/* The barrier after the sections. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp sections
		{
#pragma omp section
			x = 1;
		}
		seen[omp_get_thread_num()] = x;
	}
	return 0;
}
