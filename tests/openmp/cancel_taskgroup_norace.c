/* SPDX-License-Identifier: MIT */
// env: OMP_CANCELLATION=true
/* The rest of the group is left out; what ran is done. */
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
				y = 1;
#pragma omp cancel taskgroup
			}
		}
		x += y;
	}
	return 0;
}
