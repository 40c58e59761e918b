/* SPDX-License-Identifier: MIT */
/* Tasks that exclude each other. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		{
#pragma omp critical
			x++;
		}
#pragma omp task
		{
#pragma omp critical
			x += 2;
		}
	}
	return 0;
}
