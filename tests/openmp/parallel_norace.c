/* SPDX-License-Identifier: MIT */
/* Each member of a team writes an element of its own; who began the region reads them. */
#include <omp.h>

static int x[64];

int main(void)
{
#pragma omp parallel
	x[omp_get_thread_num()] = 1;
	return x[0] != 1;
}
