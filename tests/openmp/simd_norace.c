/* SPDX-License-Identifier: MIT */
/* Lanes of one instruction, with elements of their own. */
int a[65];

int main(void)
{
#pragma omp simd
	for (int i = 0; i < 64; i++)
		a[i] = a[i] + 1;
	return 0;
}
