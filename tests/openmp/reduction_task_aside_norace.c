/* SPDX-License-Identifier: MIT */
/* Tasks that take no part in a task reduction, and have a variable of their own. */
int main(void)
{
	int sum = 0, one = 0, other = 0;

#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
	{
#pragma omp task in_reduction(+ : sum)
		sum += 1;
#pragma omp task shared(one)
		one = 2;
#pragma omp task shared(other)
		other = 3;
	}
	return sum + one + other != 6;
}
