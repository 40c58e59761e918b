/* SPDX-License-Identifier: MIT */
/* The first iteration of a task reads what another task writes. */
int a[17];

int main(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(4)      // race: a b
	for (int i = 0; i < 16; i++) { // race: a b
		a[i + 1] = a[i] + 1;   // race: a b
	}
	return 0;
}
