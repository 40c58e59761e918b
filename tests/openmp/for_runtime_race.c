/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* The schedule is set while the program runs. */
#include <omp.h>
#include "../programs/invisible.h"

static invisible_barrier_t both = INVISIBLE_BARRIER(2);
int x;

int main(void)
{
	omp_set_schedule(omp_sched_dynamic, 1);
#pragma omp parallel for schedule(runtime)
	for (int i = 0; i < 16; i++) {
		if (i < 2 && omp_get_num_threads() > 1)
			invisible_barrier_wait(&both);
		x += i; // race: a b
	}
	return 0;
}
