/* SPDX-License-Identifier: MIT */
// threads: 2
/* An atomic write of what is read plainly. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp atomic write			// race: a
		x = 1;				// race: a
		seen[omp_get_thread_num()] = x; // race: b
	}
	return 0;
}
