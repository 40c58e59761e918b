/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* One section reads what the other makes. */
#include <omp.h>
#include "../programs/invisible.h"

static invisible_barrier_t both = INVISIBLE_BARRIER(2);
int x, y;

static void meet(void)
{
	if (omp_get_num_threads() > 1)
		invisible_barrier_wait(&both);
}

int main(void)
{
#pragma omp parallel sections
	{
#pragma omp section
		{
			meet();
			x = 1; // race: a
		}
#pragma omp section
		{
			meet();
			y = x; // race: b
		}
	}
	return x + y < 1;
}
