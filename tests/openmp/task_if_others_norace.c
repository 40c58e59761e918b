/* SPDX-License-Identifier: MIT */
/* Its maker waits for this task, and for the others by a wait. */
int x, y;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x = 1;
#pragma omp task if (0)
		y = 1;
#pragma omp taskwait
		x += y;
	}
	return 0;
}
