/* SPDX-License-Identifier: MIT */
// threads: 2
// skip: clang
/* An update of a size without an atomic instruction, and a plain one. */
#include <omp.h>

long double x;

int main(void)
{
#pragma omp parallel // race: a
	{
		if (omp_get_thread_num() == 0) {
#pragma omp atomic		// race: a
			x += 1; // race: a
		} else {
			x += 2; // race: a b
		}
	}
	return 0;
}
