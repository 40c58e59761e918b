/* SPDX-License-Identifier: MIT */
/* Two tasks read and take a lock; the next to take it writes, after both. */
int x, y, seen[2];

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(i)
			{
				seen[i] = x;
#pragma omp critical
				y++;
			}
		}
#pragma omp taskwait
#pragma omp task
		{
#pragma omp critical
			y++;
			x = 1;
		}
	}
	return 0;
}
