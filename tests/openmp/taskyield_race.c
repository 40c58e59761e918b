/* SPDX-License-Identifier: MIT */
/* To let others run first is no order. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x = 1; // race: a
#pragma omp taskyield
		x += 2; // race: b
	}
	return 0;
}
