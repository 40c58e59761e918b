/* SPDX-License-Identifier: MIT */
/* Two tasks read, and one of them takes a lock afterwards: who takes the lock next comes
 * after that one alone. */
int x, y, seen[2];

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		{
			seen[0] = x; // race: a
#pragma omp critical
			y++;
		}
#pragma omp task
		seen[1] = x; // race: a
#pragma omp task
		{
#pragma omp critical
			y++;
			x = 1; // race: b
		}
	}
	return 0;
}
