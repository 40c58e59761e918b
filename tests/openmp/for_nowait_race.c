/* SPDX-License-Identifier: MIT */
// threads: 2
/* Without the barrier at its end, the loop's last iterations may yet be to come. */
#include <omp.h>

int x, seen[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp for nowait schedule(static, 1)	// race: a
		for (int i = 0; i < 64; i++)	// race: a
			if (i == 1)		// race: a
				x = i;		// race: a
		seen[omp_get_thread_num()] = x; // race: a b
	}
	return 0;
}
