/* SPDX-License-Identifier: MIT */
/* Atomic updates. */
#include <omp.h>

int x;

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
#pragma omp atomic update
			x += 1;
		} else {
#pragma omp atomic update
			x += 2;
		}
	}
	return 0;
}
