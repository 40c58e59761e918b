/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* One thread makes a value, the others get copies of it. */
#include <omp.h>

static int sums[4];

int main(void)
{
#pragma omp parallel num_threads(4)
	{
		int value = 0;
		for (int i = 0; i < 20; i++) {
#pragma omp single copyprivate(value)
			value = i;
			sums[omp_get_thread_num()] += value;
		}
	}
	return sums[0] != 190 || sums[3] != 190;
}
