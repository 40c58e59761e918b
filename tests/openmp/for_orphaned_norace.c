/* SPDX-License-Identifier: MIT */
/* The loop is in a function that the region calls. */
int a[64], x;

static void fill(void)
{
#pragma omp for schedule(static, 1)
	for (int i = 0; i < 64; i++)
		a[i] = i;
}

int main(void)
{
#pragma omp parallel
	{
		fill();
		fill();
	}
	return 0;
}
