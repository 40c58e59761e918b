/* SPDX-License-Identifier: MIT */
/* Two tasks read, and a third, which depends on one of them, writes. */
int x, y, seen;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : y)
		y = x;
#pragma omp task
		seen = x; // race: a
#pragma omp task depend(in : y)
		x = 1; // race: b
	}
	return 0;
}
