/* SPDX-License-Identifier: MIT */
/* One task has the whole loop. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(1)
	for (int i = 0; i < 16; i++)
		x += i;
	return 0;
}
