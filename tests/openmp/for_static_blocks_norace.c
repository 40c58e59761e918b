/* SPDX-License-Identifier: MIT */
/* The same blocks in two loops: what was written before the loop's end is read after. */
int a[65], b[65];

int main(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(static)
		for (int i = 0; i < 64; i++)
			a[i] = i;
#pragma omp for schedule(static)
		for (int i = 0; i < 64; i++)
			b[i] = a[63 - i];
	}
	return 0;
}
