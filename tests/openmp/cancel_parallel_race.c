/* SPDX-License-Identifier: MIT */
// threads: 2
// env: OMP_CANCELLATION=true
/* Who cancels the region is in no order with what the others have done. */
#include <omp.h>

int x[64], found;

int main(void)
{
#pragma omp parallel
	{
		x[omp_get_thread_num()] = 1;
		found = omp_get_thread_num(); // race: a b
#pragma omp cancel parallel
	}
	return x[0] + found < 0;
}
