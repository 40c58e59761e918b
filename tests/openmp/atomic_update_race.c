/* SPDX-License-Identifier: MIT */
// threads: 2
/* A plain update next to an atomic one. */
#include <omp.h>

int x;

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
#pragma omp atomic update	// race: a
			x += 1; // race: a
		} else {
			x += 2; // race: a b
		}
	}
	return 0;
}
