/* SPDX-License-Identifier: MIT */
/* The wait is for tasks made before it; those made after it come later. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x = 1;
#pragma omp taskwait
#pragma omp task
		x = 2;
#pragma omp taskwait
		x += 3;
	}
	return 0;
}
