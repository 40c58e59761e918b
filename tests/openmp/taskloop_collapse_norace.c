/* SPDX-License-Identifier: MIT */
/* Two loops as one, cut into tasks: each pair has its element. */
int a[4][4], rows[4];

int main(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop collapse(2) num_tasks(16)
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			a[i][j] = rows[i];
	return 0;
}
