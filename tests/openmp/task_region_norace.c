/* SPDX-License-Identifier: MIT */
/* Tasks that begin regions of their own, with memory for each of the tasks. */
#include <omp.h>

int per_task[4][8];

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 4; i++) {
#pragma omp task
#pragma omp parallel num_threads(1)
		per_task[i][omp_get_thread_num()] += i;
	}
	return 0;
}
