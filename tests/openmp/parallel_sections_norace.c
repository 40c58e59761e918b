/* SPDX-License-Identifier: MIT */
/* Sections of one region; the sum is taken after it. */
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
			x = 1;
		}
#pragma omp section
		{
			meet();
			y = 1;
		}
	}
	return x + y < 1;
}
