/* SPDX-License-Identifier: MIT */
// threads: 2
// env: OMP_CANCELLATION=true
/* Who cancels a loop writes down where, and so does another one. */
#include <omp.h>

int a[64], found, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 64; i++) {
			a[i] = 1;
			if (i < 4) {
				found = i; // race: a b
#pragma omp cancel for
			}
		}
		seen[omp_get_thread_num()] = a[0] + found;
	}
	return 0;
}
