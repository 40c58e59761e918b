/* SPDX-License-Identifier: MIT */
// threads: 2
/* An atomic read of what is written plainly. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();
		if (me == 0) {
			x = 1; // race: a
		} else {
#pragma omp atomic read		      // race: b
			seen[me] = x; // race: b
		}
	}
	return 0;
}
