/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* Chunks that each member gets in rising order. */
#include <omp.h>
#include "../programs/invisible.h"

static invisible_barrier_t both = INVISIBLE_BARRIER(2);
int a[18];

int main(void)
{
#pragma omp parallel for schedule(monotonic : dynamic, 1)
	for (int i = 0; i < 16; i++) {
		if (i < 2 && omp_get_num_threads() > 1)
			invisible_barrier_wait(&both);
		a[i + 1] = a[i]; // race: a b
	}
	return 0;
}
