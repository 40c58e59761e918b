/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* Two tasks that nothing orders write one variable. */
#include "invisible.h"

static invisible_step_t step;
int x;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task
		{
			invisible_await(&step, 1);
			x = 1; // race: a
			invisible_advance(&step);
		}
		/* Its maker, who is not in a task, goes on meanwhile. */
		invisible_advance(&step);
		invisible_await(&step, 2);
		x = 2; // race: b
	}
	return 0;
}
