/* SPDX-License-Identifier: MIT */
// skip: clang
// threads: 2
/* The copy back is done by the member with the last iteration, some time. */
#include <omp.h>

int seen[64];

int main(void)
{
	int last = 0;

#pragma omp parallel
	{
#pragma omp for schedule(static, 1) lastprivate(last) nowait // race: a
		for (int i = 0; i < 64; i++)		     // race: a
			last = i;			     // race: a
		seen[omp_get_thread_num()] = last;	     // race: b
	}
	return 0;
}
