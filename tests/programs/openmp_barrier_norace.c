/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* Before a barrier one element, after it the neighbour's: in many rounds. */
#include <omp.h>

enum { TEAM = 4 };
static int x[TEAM];

int main(void)
{
#pragma omp parallel num_threads(TEAM)
	{
		int me = omp_get_thread_num();
		for (int round = 0; round < 50; round++) {
			x[(me + round) % TEAM]++;
#pragma omp barrier
		}
	}
	return 0;
}
