/* SPDX-License-Identifier: MIT */
/* Who makes the tasks does not wait for them. */
int a[16], x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop nogroup num_tasks(4)
		for (int i = 0; i < 16; i++)
			a[i] = i; // race: a
		x = a[15];	  // race: b
	}
	return 0;
}
