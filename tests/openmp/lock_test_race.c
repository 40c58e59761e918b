/* SPDX-License-Identifier: MIT */
// threads: 2
/* Goes on without the lock when it does not get it. */
#include <omp.h>
#include "../programs/invisible.h"

static omp_lock_t lock;
static invisible_step_t step;
int x;

int main(void)
{
	omp_init_lock(&lock);
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
			omp_set_lock(&lock);
			x++; // race: a
			invisible_advance(&step);
			if (omp_get_num_threads() > 1)
				invisible_await(&step, 2);
			omp_unset_lock(&lock);
		} else if (omp_get_thread_num() == 1) {
			invisible_await(&step, 1);
			if (!omp_test_lock(&lock))
				x += 2; // race: b
			invisible_advance(&step);
		}
	}
	omp_destroy_lock(&lock);
	return 0;
}
