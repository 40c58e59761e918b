/* SPDX-License-Identifier: MIT */
/* One of two sums is not reduced. */
int a[16];

int main(void)
{
	int sum = 0;
	int other = 0;

#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : sum) num_tasks(4) // race: a b
	for (int i = 0; i < 16; i++) {		     // race: a b
		sum += a[i] + 1;
		other += i; // race: a b
	}
	return other < 0;
}
