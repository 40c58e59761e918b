/* SPDX-License-Identifier: MIT */
// env: OMP_CANCELLATION=true
/* What was made before the group goes on when that is cancelled. */
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
#pragma omp cancel taskgroup
			}
		}
		x += y; // race: b
	}
	return 0;
}
