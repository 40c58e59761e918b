/* SPDX-License-Identifier: MIT */
// threads: 2
/* The greatest is kept atomically, and looked at plainly. */
#include <omp.h>

int most, seen[64];

int main(void)
{
#pragma omp parallel
	{
		int mine = omp_get_thread_num() + 1;
		if (mine == 1) {
#pragma omp atomic compare		     // race: a
			if (most < mine) {   // race: a
				most = mine; // race: a
			}
		}
		if (mine != 1)
			seen[mine] = most; // race: b
	}
	return 0;
}
