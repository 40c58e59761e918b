/* SPDX-License-Identifier: MIT */
/* Two loops dealt out as one: each pair has its element. */
int a[8][8];

int main(void)
{
#pragma omp parallel for collapse(2) schedule(static, 1)
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			a[i][j]++;
	return 0;
}
