/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* A loop without the barrier at its end: who is done reads what another may yet
 * write. */
#include <omp.h>
#include "invisible.h"

static invisible_step_t step;
int x[2], seen;

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num();
#pragma omp for schedule(static, 1) nowait
		for (int i = 0; i < 2; i++) {
			x[i] = i; // race: a
			if (i == 1)
				invisible_advance(&step);
		}
		if (me == 0) {
			invisible_await(&step, 1);
			seen = x[1]; // race: b
		}
	}
	return 0;
}
