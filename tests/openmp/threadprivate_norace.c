/* SPDX-License-Identifier: MIT */
/* Each thread has a copy that lasts over regions. */
#include <omp.h>

static int mine;
#pragma omp threadprivate(mine)
int *shared;

int main(void)
{
	shared = &mine;
#pragma omp parallel
	mine = omp_get_thread_num();
#pragma omp parallel
	mine++;
	return 0;
}
