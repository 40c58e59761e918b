/* SPDX-License-Identifier: MIT */
/* A loop of many tasks that nobody waits for, and that share a variable. */
int a[1000], sum;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop nogroup grainsize(2)
		for (int i = 0; i < 1000; i++) {
			a[i] = i;
			sum += i; // race: a b
		}
	}
	return 0;
}
