/* SPDX-License-Identifier: MIT */
/* The wait is for the task's own tasks, and these wait for theirs. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		{
#pragma omp task
			x = 1;
#pragma omp taskwait
		}
#pragma omp taskwait
		x += 2;
	}
	return 0;
}
