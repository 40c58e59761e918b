/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* What a thread does after the barrier is not before what another one does after it. */
#include <omp.h>
#include "invisible.h"

static invisible_step_t step;
int x;

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num();
#pragma omp barrier
		if (me == 0) {
			x = 1; // race: a
			invisible_advance(&step);
		} else {
			invisible_await(&step, 1);
			x = 2; // race: b
		}
#pragma omp barrier
	}
	return 0;
}
