/* SPDX-License-Identifier: MIT */
/* Iterations of one task follow each other. */
int a[17];

int main(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(4)
	for (int i = 0; i < 16; i++) {
		if (i % 4)
			a[i] = a[i - 1] + 1;
	}
	return 0;
}
