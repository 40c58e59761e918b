/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* Tasks come after who makes them, and before the end of the wait for them. */
static int fib(int n)
{
	int a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

int main(void)
{
	int result = 0;

#pragma omp parallel num_threads(4)
#pragma omp single
	result = fib(10);
	return result != 55;
}
