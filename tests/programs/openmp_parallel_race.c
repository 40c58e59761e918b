/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* Two threads of a team write one variable. */
#include <omp.h>
#include "invisible.h"

static invisible_step_t step;
int x;

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			x = 1; // race: a
			invisible_advance(&step);
		} else {
			invisible_await(&step, 1);
			x = 2; // race: b
		}
	}
	return 0;
}
