/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* Sections read what another one writes. */
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
#pragma omp sections
		{
#pragma omp section
			{
				meet();	  // race: a b
				last = 1; // race: a b
			}
#pragma omp section
			{
				meet();
				last += 2; // race: a b
			}
		}
	}
	return last < 0;
}
