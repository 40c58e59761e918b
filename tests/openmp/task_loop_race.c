/* SPDX-License-Identifier: MIT */
/* A task for each number, all adding to one sum. */
int sum;

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i)
		{
			sum += i; // race: a b
		}
	}
	return 0;
}
