/* SPDX-License-Identifier: MIT */
// threads: 2
/* All members of a team write one variable. */
#include <omp.h>

int x;

int main(void)
{
#pragma omp parallel
	x = omp_get_thread_num(); // race: a b
	return 0;
}
