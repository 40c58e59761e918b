/* SPDX-License-Identifier: MIT */
/* The sum is taken after the wait. */
int a, b, sum;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		a = 1;
#pragma omp task
		b = 2;
#pragma omp taskwait
		sum = a + b;
	}
	return sum != 3;
}
