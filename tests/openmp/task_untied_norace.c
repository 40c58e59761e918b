/* SPDX-License-Identifier: MIT */
/* Tasks that may move between threads, in the order of a dependence. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 4; i++) {
#pragma omp task untied depend(inout : x)
		{
			x++;
#pragma omp taskyield
			x++;
		}
	}
	return 0;
}
