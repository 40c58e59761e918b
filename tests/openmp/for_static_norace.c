/* SPDX-License-Identifier: MIT */
/* Each iteration has an element of its own. */
int a[65];

int main(void)
{
#pragma omp parallel
#pragma omp for schedule(static, 1)
	for (int i = 0; i < 64; i++)
		a[i] = a[i] + 1;
	return 0;
}
