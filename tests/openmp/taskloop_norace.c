/* SPDX-License-Identifier: MIT */
/* Tasks of a loop; who made them waits. */
int a[16], x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop
		for (int i = 0; i < 16; i++)
			a[i] = i;
		x = a[15];
	}
	return x != 15;
}
