/* SPDX-License-Identifier: MIT */
// threads: 2
/* The index of the inner loop is declared outside, and shared. */
int a[8][8];

int main(void)
{
	int i, j;

#pragma omp parallel for schedule(static, 1)
	for (i = 0; i < 8; i++)
		for (j = 0; j < 8; j++) // race: a b
			a[i][0] = j;	// race: a b
	return 0;
}
