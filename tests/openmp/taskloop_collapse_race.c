/* SPDX-License-Identifier: MIT */
/* Two loops as one, cut into tasks: rows are shared. */
int a[4][4], rows[4];

int main(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop collapse(2) num_tasks(16) // race: a b
	for (int i = 0; i < 4; i++)	       // race: a b
		for (int j = 0; j < 4; j++)
			rows[i] += a[i][j]; // race: a b
	return 0;
}
