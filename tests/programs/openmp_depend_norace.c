/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* Tasks in the order of what they write and read. */
int main(void)
{
	int a = 0, b = 0, c = 0, result = 0;

#pragma omp parallel num_threads(4)
#pragma omp single
	for (int i = 0; i < 20; i++) {
#pragma omp task shared(a) depend(out : a)
		a = i;
#pragma omp task shared(a, b) depend(in : a) depend(out : b)
		b = a + 1;
#pragma omp task shared(a, c) depend(in : a) depend(out : c)
		c = a + 2;
#pragma omp task shared(b, c, result) depend(in : b, c) depend(inout : result)
		result += b + c;
	}
	return result != 440;
}
