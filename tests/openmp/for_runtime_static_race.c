/* SPDX-License-Identifier: MIT */
// threads: 2
/* A static schedule that is set while the program runs. */
#include <omp.h>

int x;

int main(void)
{
	omp_set_schedule(omp_sched_static, 1);
#pragma omp parallel for schedule(runtime)
	for (int i = 0; i < 16; i++)
		x = i; // race: a b
	return 0;
}
