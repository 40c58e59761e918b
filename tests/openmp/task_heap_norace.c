/* SPDX-License-Identifier: MIT */
/* Freed by its maker when the task is done. */
#include <stdlib.h>

static int *volatile keep;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		int *p = malloc(sizeof *p);
		keep = p;
#pragma omp task firstprivate(p)
		*p = 1;
#pragma omp taskwait
		free(p);
	}
	return 0;
}
