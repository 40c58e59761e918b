/* SPDX-License-Identifier: MIT */
// threads: 2
/* All get a copy of the pointer, and write to the one place it points to. */
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
		*p = omp_get_thread_num(); // race: a b
	}
	return 0;
}
