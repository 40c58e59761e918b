/* SPDX-License-Identifier: MIT */
/* All get a copy of what one member made, and read it. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
		int *p;
#pragma omp single copyprivate(p)
		{
			p = &x;
			*p = 1;
		}
		seen[omp_get_thread_num()] = *p;
	}
	return 0;
}
