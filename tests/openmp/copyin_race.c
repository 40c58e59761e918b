/* SPDX-License-Identifier: MIT */
// threads: 2
/* The value is copied to all, what it points to is not. */
#include <omp.h>

static int *mine;
#pragma omp threadprivate(mine)
int x, seen[64];

int main(void)
{
	x = 5;
	mine = &x;
#pragma omp parallel copyin(mine)
	*mine = omp_get_thread_num(); // race: a b
	return 0;
}
