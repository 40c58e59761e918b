/* SPDX-License-Identifier: MIT */
/* Each task waits for its own tasks, and the second comes after the first. */
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
#pragma omp task
		{
#pragma omp task
			x = 2;
#pragma omp taskwait
		}
	}
	return 0;
}
