/* SPDX-License-Identifier: MIT */
// threads: 2
/* One barrier in a round, where reading and writing need one each. */
#include <omp.h>

int x[64];

int main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), sum = 0;
		int next = (me + 1) % omp_get_num_threads();
		for (int round = 0; round < 10; round++) {
			x[me] = round + sum; // race: a
#pragma omp barrier
			sum += x[next]; // race: b
		}
	}
	return 0;
}
