/* SPDX-License-Identifier: MIT */
/* Two tasks with atomic updates. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		{
#pragma omp atomic
			x++;
		}
#pragma omp task
		{
#pragma omp atomic
			x += 2;
		}
	}
	return 0;
}
