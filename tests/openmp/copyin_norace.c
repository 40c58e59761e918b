/* SPDX-License-Identifier: MIT */
/* The first thread's copy comes before the others' start. */
#include <omp.h>

static int *mine;
#pragma omp threadprivate(mine)
int x, seen[64];

int main(void)
{
	x = 5;
	mine = &x;
#pragma omp parallel copyin(mine)
	seen[omp_get_thread_num()] = *mine;
	return seen[0] != 5;
}
