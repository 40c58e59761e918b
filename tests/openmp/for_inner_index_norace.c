/* SPDX-License-Identifier: MIT */
/* The index of the inner loop is private. */
int a[8][8];

int main(void)
{
	int i, j;

#pragma omp parallel for schedule(static, 1) private(j)
	for (i = 0; i < 8; i++)
		for (j = 0; j < 8; j++)
			a[i][j] = i;
	return 0;
}
