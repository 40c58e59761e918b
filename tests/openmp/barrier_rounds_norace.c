/* SPDX-License-Identifier: MIT */
/* Two barriers in a round: one before reading, one before writing again. */
#include <omp.h>

int x[64];

int main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), sum = 0;
		int next = (me + 1) % omp_get_num_threads();
		for (int round = 0; round < 10; round++) {
			x[me] = round + sum;
#pragma omp barrier
			sum += x[next];
#pragma omp barrier
		}
	}
	return 0;
}
