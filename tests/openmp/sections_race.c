/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* Two sections, each with a member that runs it. */
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
			x = 1; // race: a b
		}
#pragma omp section
		{
			meet();
			x += 2; // race: a b
		}
	}
	return x + y < 0;
}
