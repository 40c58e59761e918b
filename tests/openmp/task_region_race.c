/* SPDX-License-Identifier: MIT */
/* Tasks that begin regions of their own: which number a thread has in these tells nothing
 * of the thread, nor does it order the tasks. */
#include <omp.h>

int per_number[8];

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 4; i++) {
#pragma omp task
#pragma omp parallel num_threads(1)
		per_number[omp_get_thread_num()] += i; // race: a b
	}
	return 0;
}
