/* SPDX-License-Identifier: MIT */
/* Who makes the tasks waits for them by a taskwait. */
int a[16], x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop nogroup num_tasks(4)
		for (int i = 0; i < 16; i++)
			a[i] = i;
#pragma omp taskwait
		x = a[15];
	}
	return 0;
}
