/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* After its ordered part an iteration is in no order with the others. */
#include <omp.h>
#include "../programs/invisible.h"

static invisible_barrier_t both = INVISIBLE_BARRIER(2);
int x, seen[32];

int main(void)
{
#pragma omp parallel for ordered schedule(dynamic, 1)
	for (int i = 0; i < 32; i++) {
		if (i < 2 && omp_get_num_threads() > 1)
			invisible_barrier_wait(&both);
#pragma omp ordered
		{
			x++; // race: a
			seen[i] = x;
		}
		if (x < 0) // race: b
			seen[i] = 0;
	}
	return 0;
}
