/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* Two sections with different names do not keep each other out. */
#include <omp.h>
#include "invisible.h"

static invisible_step_t step;
int x;

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp critical(first)
			x = 1; // race: a
			invisible_advance(&step);
		} else {
			invisible_await(&step, 1);
#pragma omp critical(second)
			x = 2; // race: b
		}
	}
	return 0;
}
