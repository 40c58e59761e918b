/* SPDX-License-Identifier: MIT */
// threads: 2
/* Tasks of different members of the team. */
#include <omp.h>

int x;

int main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();
#pragma omp task firstprivate(me)
		x = me; // race: a b
	}
	return 0;
}
