/* SPDX-License-Identifier: MIT */
/* Sections of one name exclude each other, wherever they are. */
#include <omp.h>

int x;

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
#pragma omp critical(first)
			x++;
		} else {
#pragma omp critical(first)
			x = 2;
		}
	}
	return 0;
}
