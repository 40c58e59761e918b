/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* A loop whose iterations may run in any order. */
int a[64], x;

int main(void)
{
#pragma omp parallel
#pragma omp loop bind(parallel)	     // race: a b
	for (int i = 0; i < 64; i++) // race: a b
		x += a[i];	     // race: a b
	return 0;
}
