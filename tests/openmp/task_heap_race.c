/* SPDX-License-Identifier: MIT */
/* Freed by its maker while a task may still use it. */
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
		*p = 1;	 // race: a
		free(p); // race: b
	}
	return 0;
}
