/* SPDX-License-Identifier: MIT */
// threads: 2
/* The sum is read before all parts are in. */
#include <omp.h>

int seen[64];

int main(void)
{
	int sum = 0;

#pragma omp parallel
	{
#pragma omp for reduction(+ : sum) schedule(static, 1) nowait // race: a
		for (int i = 0; i < 64; i++)		      // race: a
			sum += 1;
		seen[omp_get_thread_num()] = sum; // race: b
	}
	return 0;
}
