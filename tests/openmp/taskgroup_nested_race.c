/* SPDX-License-Identifier: MIT */
/* The inner group waits for its own task; the outer one's is still running. */
int x, y;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup
		{
#pragma omp task
			x = 1; // race: a
#pragma omp taskgroup
			{
#pragma omp task
				y = 1;
			}
			x += y; // race: b
		}
	}
	return 0;
}
