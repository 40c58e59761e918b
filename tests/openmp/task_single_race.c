/* SPDX-License-Identifier: MIT */
/* Tasks made in a `single` are not waited for without its barrier. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp single nowait
		{
#pragma omp task
			x = 1; // race: a
		}
		seen[omp_get_thread_num()] = x; // race: b
	}
	return 0;
}
