/* SPDX-License-Identifier: MIT */
// threads: 2
/* Within the second region there is no order between the members. */
#include <omp.h>

int x[64], seen[64];

int main(void)
{
#pragma omp parallel
	x[omp_get_thread_num()] = 1;
#pragma omp parallel
	{
		int next = (omp_get_thread_num() + 1) % omp_get_num_threads();
		x[omp_get_thread_num()] = 2;	      // race: a
		seen[omp_get_thread_num()] = x[next]; // race: b
	}
	return 0;
}
