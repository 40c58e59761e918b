/* SPDX-License-Identifier: MIT */
// env: OMP_CANCELLATION=true
/* The region is over for all when it is over for one. */
#include <omp.h>

int x[64], found;

int main(void)
{
#pragma omp parallel
	{
		x[omp_get_thread_num()] = 1;
#pragma omp atomic write
		found = 1;
#pragma omp cancel parallel
	}
	return x[0] + found < 0;
}
