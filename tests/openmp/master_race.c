/* SPDX-License-Identifier: MIT */
// threads: 2
/* Nobody waits at the end of what the first member runs. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp master
		x = 1;				// race: a
		seen[omp_get_thread_num()] = x; // race: b
	}
	return 0;
}
