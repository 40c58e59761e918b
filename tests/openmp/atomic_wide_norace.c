/* SPDX-License-Identifier: MIT */
// skip: clang
/* Updates of a size without an atomic instruction: by a lock of the library. */
#include <omp.h>

long double x;

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
#pragma omp atomic
			x += 1;
		} else {
#pragma omp atomic
			x += 2;
		}
	}
	return 0;
}
