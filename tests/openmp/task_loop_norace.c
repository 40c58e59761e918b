/* SPDX-License-Identifier: MIT */
/* A task for each number, all adding to one sum, atomically. */
int sum;

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i)
		{
#pragma omp atomic
			sum += i;
		}
	}
	return 0;
}
