/* SPDX-License-Identifier: MIT */
/* Each task has a part of the sum. */
int a[16];

int main(void)
{
	int sum = 0;

#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : sum) num_tasks(4)
	for (int i = 0; i < 16; i++) {
		sum += a[i] + 1;
	}
	return sum != 16;
}
