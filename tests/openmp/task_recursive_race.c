/* SPDX-License-Identifier: MIT */
/* The sum is taken before both halves are there. */
static int fib(int n)
{
	int a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1); // race: a
#pragma omp task shared(b)
	b = fib(n - 2);	 // race: a
	int sum = a + b; // race: b
#pragma omp taskwait
	return sum;
}

int main(void)
{
	int result = 0;

#pragma omp parallel
#pragma omp single
	result = fib(5);
	return result == -1;
}
