/* SPDX-License-Identifier: MIT */
/* The tasks of two tasks are in no order. */
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
#pragma omp taskwait
		}
#pragma omp task
		{
#pragma omp task
			x = 2; // race: b
#pragma omp taskwait
		}
	}
	return 0;
}
