/* SPDX-License-Identifier: MIT */
// env: OMP_CANCELLATION=true
/* What was done in a loop that was cancelled comes before what is after it. */
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
#pragma omp atomic write
				found = i;
#pragma omp cancel for
			}
		}
		seen[omp_get_thread_num()] = a[0] + found;
	}
	return 0;
}
