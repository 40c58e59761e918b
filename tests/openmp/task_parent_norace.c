/* SPDX-License-Identifier: MIT */
/* Who makes a task has written before; the task comes after that. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		x = 1;
#pragma omp task
		x += 2;
	}
	return 0;
}
