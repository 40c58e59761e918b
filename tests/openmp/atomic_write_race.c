/* SPDX-License-Identifier: MIT */
// threads: 2
/* An atomic write of what is read plainly. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
#pragma omp atomic write       // race: a
			x = 1; // race: a
		}
		if (omp_get_thread_num() != 0)
			seen[omp_get_thread_num()] = x; // race: b
	}
	return 0;
}
