/* SPDX-License-Identifier: MIT */
/* Tasks that exclude each other, and one that does not. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		{
#pragma omp critical
			x++; // race: a
		}
#pragma omp task
		{
			x += 2; // race: b
		}
	}
	return 0;
}
