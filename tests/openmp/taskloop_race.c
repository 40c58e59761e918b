/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* Tasks of a loop that add to one sum. */
int a[16], x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop			     // race: a b
		for (int i = 0; i < 16; i++) // race: a b
			x += a[i];	     // race: a b
		x = a[15];
	}
	return 0;
}
