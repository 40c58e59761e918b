/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* Tasks that take no part in a task reduction write its variable. */
int main(void)
{
	int sum = 0;

#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
	{
#pragma omp task in_reduction(+ : sum)
		sum += 1;
#pragma omp task shared(sum)
		sum = 2; // race: a
#pragma omp task shared(sum)
		sum = 3; // race: b
	}
	return 0;
}
