/* SPDX-License-Identifier: MIT */
/* Says that it reads, and writes. */
int x, seen[2];

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1;
#pragma omp task depend(in : x)
		x = 2; // race: a
#pragma omp task depend(in : x)
		seen[1] = x; // race: b
	}
	return 0;
}
