/* SPDX-License-Identifier: MIT */
/* Iterations of one chunk follow each other. */
#include <omp.h>
#include "../programs/invisible.h"

static invisible_barrier_t both = INVISIBLE_BARRIER(2);
int a[17];

int main(void)
{
#pragma omp parallel for schedule(dynamic, 4)
	for (int i = 0; i < 16; i++) {
		if (i % 4 == 0 && i < 8 && omp_get_num_threads() > 1)
			invisible_barrier_wait(&both);
		if (i % 4)
			a[i] = a[i - 1] + 1;
	}
	return 0;
}
