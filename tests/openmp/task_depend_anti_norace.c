/* SPDX-License-Identifier: MIT */
/* The next writer comes after the readers. */
int x, seen[3], other;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 3; i++) {
#pragma omp task depend(in : x) firstprivate(i)
			seen[i] = x;
		}
#pragma omp task depend(out : x)
		x = 1;
	}
	return other;
}
