/* SPDX-License-Identifier: MIT */
// threads: never
/* Lanes of one instruction are one thread: that they overlap is not seen. */
int a[65];

int main(void)
{
#pragma omp simd
	for (int i = 0; i < 64; i++)
		a[i + 1] = a[i] + 1; // race: a b
	return 0;
}
