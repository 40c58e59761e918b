/* SPDX-License-Identifier: MIT */
/* The sum is read when all parts are in. */
#include <omp.h>

int seen[64];

int main(void)
{
	int sum = 0;

#pragma omp parallel
	{
#pragma omp for reduction(+ : sum) schedule(static, 1)
		for (int i = 0; i < 64; i++)
			sum += 1;
		seen[omp_get_thread_num()] = sum;
	}
	return 0;
}
