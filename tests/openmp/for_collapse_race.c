/* SPDX-License-Identifier: MIT */
// threads: 2
/* Two loops dealt out as one: rows are shared. */
int a[8][8];
int rows[8];

int main(void)
{
#pragma omp parallel for collapse(2) schedule(static, 1)
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			rows[i] += a[i][j]; // race: a b
	return 0;
}
