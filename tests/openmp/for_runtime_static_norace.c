/* SPDX-License-Identifier: MIT */
/* A static schedule that is set while the program runs; each has its elements. */
#include <omp.h>

static int x[16];

int main(void)
{
	omp_set_schedule(omp_sched_static, 1);
#pragma omp parallel for schedule(runtime)
	for (int i = 0; i < 16; i++)
		x[i] = i;
	return 0;
}
