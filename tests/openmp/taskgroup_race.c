/* SPDX-License-Identifier: MIT */
/* A task made before the group is not waited for at its end. */
int x, y;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x = 1; // race: a
#pragma omp taskgroup
		{
#pragma omp task
			{
				y = 1;
			}
		}
		x += y; // race: b
	}
	return 0;
}
