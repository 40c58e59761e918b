/* SPDX-License-Identifier: MIT */
/* Tasks of the first member. */
int a[16], x;

int main(void)
{
#pragma omp parallel master taskloop num_tasks(4)
	for (int i = 0; i < 16; i++)
		a[i] = x;
	return 0;
}
