/* SPDX-License-Identifier: MIT */
/* Many tasks, each with an element. */
int a[500], x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 500; i++) {
#pragma omp task firstprivate(i)
		{
			a[i] = x + i;
		}
	}
	return 0;
}
