/* SPDX-License-Identifier: MIT */
/* The next writer depends on nothing: it may come before the reader. */
int x, seen[3], other;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 3; i++) {
#pragma omp task depend(in : x) firstprivate(i)
			seen[i] = x; // race: a
		}
#pragma omp task depend(out : other)
		x = 1; // race: b
	}
	return other;
}
