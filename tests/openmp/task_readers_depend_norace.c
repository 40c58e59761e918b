/* SPDX-License-Identifier: MIT */
/* Two tasks read, and a third, which depends on both, writes. */
int x, y, seen;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : y)
		y = x;
#pragma omp task depend(out : seen)
		seen = x;
#pragma omp task depend(in : y, seen)
		x = 1;
	}
	return 0;
}
