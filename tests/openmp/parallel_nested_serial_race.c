/* SPDX-License-Identifier: MIT */
// threads: 2
/* Only the outer region has a team: the inner ones have one member each. */
#include <omp.h>

int x;

int main(void)
{
	omp_set_max_active_levels(1);
#pragma omp parallel
	{
		int outer = omp_get_thread_num();
#pragma omp parallel
		x = outer; // race: a b
	}
	return 0;
}
