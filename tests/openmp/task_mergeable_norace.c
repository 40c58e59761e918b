/* SPDX-License-Identifier: MIT */
/* A task that may be merged, and that its maker waits for. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task mergeable
		x = 1;
#pragma omp taskwait
		x += 2;
	}
	return 0;
}
