/* SPDX-License-Identifier: MIT */
/* The greatest is kept atomically, and looked at afterwards. */
#include <omp.h>

int most, seen[64];

int main(void)
{
#pragma omp parallel
	{
		int mine = omp_get_thread_num() + 1;
		if (mine == 1) {
#pragma omp atomic compare
			if (most < mine) {
				most = mine;
			}
		}
#pragma omp barrier
		if (mine != 1)
			seen[mine] = most;
	}
	return 0;
}
