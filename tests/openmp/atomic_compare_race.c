/* SPDX-License-Identifier: MIT */
// threads: 2
/* The greatest is kept atomically, and looked at plainly before. */
#include <omp.h>

int most;

int main(void)
{
#pragma omp parallel
	{
		int mine = omp_get_thread_num() + 1;
		if (most < mine) {	     // race: a
#pragma omp atomic compare		     // race: b
			if (most < mine) {   // race: b
				most = mine; // race: b
			}
		}
	}
	return 0;
}
