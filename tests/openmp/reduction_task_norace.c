/* SPDX-License-Identifier: MIT */
/* The tasks of a region with a task reduction. */
int main(void)
{
	int sum = 0;

#pragma omp parallel reduction(task, + : sum)
#pragma omp master
	for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(+ : sum)
		{
			sum += i;
		}
	}
	return sum != 28;
}
