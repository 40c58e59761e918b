/* SPDX-License-Identifier: MIT */
/* The reader depends on the writer. */
int x, seen;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1;
#pragma omp task depend(in : x)
		seen = x;
	}
	return seen != 1;
}
