/* SPDX-License-Identifier: MIT */
/* A loop whose iterations may run in any order. */
int a[64], x;

int main(void)
{
#pragma omp parallel
#pragma omp loop bind(parallel)
	for (int i = 0; i < 64; i++)
		a[i] = i;
	return 0;
}
