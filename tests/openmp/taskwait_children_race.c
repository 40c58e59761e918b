/* SPDX-License-Identifier: MIT */
/* The wait is for the task's own tasks, not for theirs. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		{
#pragma omp task
			x = 1; // race: a
		}
#pragma omp taskwait
		x += 2; // race: b
	}
	return 0;
}
