/* SPDX-License-Identifier: MIT */
/* The copy back is done before the loop's end. */
#include <omp.h>

int seen[64];

int main(void)
{
	int last = 0;

#pragma omp parallel
	{
#pragma omp for schedule(static, 1) lastprivate(last)
		for (int i = 0; i < 64; i++)
			last = i;
		seen[omp_get_thread_num()] = last;
	}
	return 0;
}
