/* SPDX-License-Identifier: MIT */
// threads: 2
/* Tasks of the first member next to the other members. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp master
		{
#pragma omp task
			x = 1; // race: a
#pragma omp taskwait
		}
		if (omp_get_thread_num() != 0)
			seen[omp_get_thread_num()] = x; // race: b
	}
	return 0;
}
