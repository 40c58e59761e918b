/* SPDX-License-Identifier: MIT */
/* All that is made in the group, and what that makes, is done at its end. */
int x, y;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup
		{
#pragma omp task
			{
#pragma omp task
				x = 1;
				y = 1;
			}
		}
		x += y;
	}
	return 0;
}
