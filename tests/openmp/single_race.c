/* SPDX-License-Identifier: MIT */
// threads: 2
/* Without the barrier at its end, who does not run it does not wait for it. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp single nowait
		x = 1;				// race: a
		seen[omp_get_thread_num()] = x; // race: b
	}
	return 0;
}
