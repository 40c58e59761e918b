/* SPDX-License-Identifier: MIT */
// threads: 2
/* Sections of different names do not exclude each other. */
#include <omp.h>

int x;

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
#pragma omp critical(first)
			x++; // race: a
		} else {
#pragma omp critical(second)
			x = 2; // race: b
		}
	}
	return 0;
}
