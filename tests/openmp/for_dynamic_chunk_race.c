/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* The first iteration of a chunk reads what the chunk before it writes. */
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
		a[i + 1] = a[i] + 1; // race: a b
	}
	return 0;
}
