/* SPDX-License-Identifier: MIT */
// env: OMP_MAX_TASK_PRIORITY=8
/* A priority, and a dependence. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task priority(1) depend(out : x)
		x = 1;
#pragma omp task priority(8) depend(in : x)
		x += 2;
	}
	return 0;
}
