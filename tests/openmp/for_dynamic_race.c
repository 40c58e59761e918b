/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* Chunks of one iteration that write the same variable. */
#include <omp.h>
#include "../programs/invisible.h"

static invisible_barrier_t both = INVISIBLE_BARRIER(2);
int x;

int main(void)
{
#pragma omp parallel for schedule(dynamic, 1)
	for (int i = 0; i < 16; i++) {
		if (i < 2 && omp_get_num_threads() > 1)
			invisible_barrier_wait(&both);
		x = i; // race: a b
	}
	return 0;
}
