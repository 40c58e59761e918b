/* SPDX-License-Identifier: MIT */
// env: OMP_MAX_TASK_PRIORITY=8
/* A priority is no order. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task priority(8)
		x = 1; // race: a
#pragma omp task priority(1)
		x += 2; // race: b
	}
	return 0;
}
