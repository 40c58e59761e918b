/* SPDX-License-Identifier: MIT */
/* Each member has a part of the array, its lanes parts of that. */
int a[65], x;

int main(void)
{
#pragma omp parallel for simd schedule(static)
	for (int i = 0; i < 64; i++)
		a[i] = i;
	return x;
}
