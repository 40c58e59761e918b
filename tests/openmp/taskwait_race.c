/* SPDX-License-Identifier: MIT */
/* The sum is taken before the wait. */
int a, b, sum;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		a = 1; // race: a
#pragma omp task
		b = 2;	     // race: a
		sum = a + b; // race: b
#pragma omp taskwait
	}
	return 0;
}
