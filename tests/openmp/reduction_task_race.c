/* SPDX-License-Identifier: MIT */
/* The tasks of a region with a task reduction, one of which does not take part. */
int main(void)
{
	int sum = 0;
	int other = 0;

#pragma omp parallel reduction(task, + : sum)
#pragma omp master
	for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(+ : sum) shared(other)
		{
			sum += i;
			other += i; // race: a b
		}
	}
	return other < 0;
}
