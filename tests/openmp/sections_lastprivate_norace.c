/* SPDX-License-Identifier: MIT */
/* Each section has a copy; that of the last one is kept. */
#include <omp.h>
#include "../programs/invisible.h"

static invisible_barrier_t both = INVISIBLE_BARRIER(2);

static void meet(void)
{
	if (omp_get_num_threads() > 1)
		invisible_barrier_wait(&both);
}

int main(void)
{
	int last = 0;

#pragma omp parallel
	{
#pragma omp sections lastprivate(last)
		{
#pragma omp section
			{
				meet();
				last = 1;
			}
#pragma omp section
			{
				meet();
				last = 2;
			}
		}
	}
	return last != 2;
}
