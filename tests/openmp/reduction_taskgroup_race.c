/* SPDX-License-Identifier: MIT */
/* The sum is read within the group. */
int a[8], seen;

int main(void)
{
	int sum = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup task_reduction(+ : sum)
		for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
			{
				sum += i;
				a[0] = i; // race: a b
			}
		}
		seen = sum;
	}
	return seen != 28;
}
