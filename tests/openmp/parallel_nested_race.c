/* SPDX-License-Identifier: MIT */
/* Teams within a team: the inner members of one meet those of the other. */
#include <omp.h>

int x[2];

int main(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
#pragma omp parallel num_threads(2)
		x[omp_get_thread_num()] = 1; // race: a b
	}
	return 0;
}
