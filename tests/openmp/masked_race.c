/* SPDX-License-Identifier: MIT */
// threads: 2
/* What the second member runs, with no barrier after it. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp masked filter(1)
		x = 1;				// race: a
		seen[omp_get_thread_num()] = x; // race: b
	}
	return 0;
}
