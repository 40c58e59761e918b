/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* No barrier after the sections. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp sections nowait
		{
#pragma omp section
			x = 1; // race: a
		}
		seen[omp_get_thread_num()] = x; // race: b
	}
	return 0;
}
