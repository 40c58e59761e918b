/* SPDX-License-Identifier: MIT */
/* Both groups are over. */
int x, y;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup
		{
#pragma omp task
			x = 1;
#pragma omp taskgroup
			{
#pragma omp task
				y = 1;
			}
		}
		x += y;
	}
	return 0;
}
