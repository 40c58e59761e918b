/* SPDX-License-Identifier: MIT */
/* Tasks that may move between threads. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 4; i++) {
#pragma omp task untied
		{
			x++; // race: a b
#pragma omp taskyield
			x++; // race: a b
		}
	}
	return 0;
}
