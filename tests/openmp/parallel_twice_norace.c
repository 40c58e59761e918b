/* SPDX-License-Identifier: MIT */
/* What any member of a team did comes before what any member of the next one does. */
#include <omp.h>

int x[64], seen[64];

int main(void)
{
#pragma omp parallel
	x[omp_get_thread_num()] = 1;
#pragma omp parallel
	{
		int next = (omp_get_thread_num() + 1) % omp_get_num_threads();
		seen[omp_get_thread_num()] = x[next];
	}
	return 0;
}
