/* SPDX-License-Identifier: MIT */
/* Chunks in any order, their ordered parts in that of the loop. */
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
			x++;
			seen[i] = x;
		}
	}
	return 0;
}
