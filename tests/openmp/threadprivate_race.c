/* SPDX-License-Identifier: MIT */
// threads: 2
/* A pointer to the first member's copy, used by all. */
#include <omp.h>

static int mine;
#pragma omp threadprivate(mine)
int *shared;

int main(void)
{
	shared = &mine;
#pragma omp parallel
	*shared = omp_get_thread_num(); // race: a b
#pragma omp parallel
	mine++;
	return 0;
}
