/* SPDX-License-Identifier: MIT */
/* Two readers are in no order, and need none. */
int x, seen[2];

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1;
#pragma omp task depend(in : x)
		seen[0] = x;
#pragma omp task depend(in : x)
		seen[1] = x;
	}
	return 0;
}
