/* SPDX-License-Identifier: MIT */
// threads: 2
/* In two dimensions: waits for the one on the left only. */
int a[9][9];

int main(void)
{
#pragma omp parallel for ordered(2) schedule(static, 1)
	for (int i = 1; i < 9; i++)
		for (int j = 1; j < 9; j++) {
#pragma omp ordered depend(sink : i, j - 1)
			a[i][j] = a[i - 1][j] + a[i][j - 1] + 1; // race: a b
#pragma omp ordered depend(source)
		}
	return 0;
}
