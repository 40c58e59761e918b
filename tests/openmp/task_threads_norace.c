/* SPDX-License-Identifier: MIT */
/* Tasks of different members of the team, with a place each. */
#include <omp.h>

static int x[64];

int main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();
#pragma omp task firstprivate(me)
		x[me] = me;
	}
	return 0;
}
