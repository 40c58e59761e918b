/* SPDX-License-Identifier: MIT */
// threads: 2
/* The count of a failed try is zero, and nobody looked. */
#include <omp.h>
#include "../programs/invisible.h"

static omp_nest_lock_t lock;
static invisible_step_t step;
int x;

int main(void)
{
	omp_init_nest_lock(&lock);
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
			omp_set_nest_lock(&lock);
			x++; // race: a
			invisible_advance(&step);
			if (omp_get_num_threads() > 1)
				invisible_await(&step, 2);
			omp_unset_nest_lock(&lock);
		} else if (omp_get_thread_num() == 1) {
			invisible_await(&step, 1);
			if (omp_test_nest_lock(&lock) == 0)
				x += 2; // race: b
			invisible_advance(&step);
		}
	}
	omp_destroy_nest_lock(&lock);
	return 0;
}
