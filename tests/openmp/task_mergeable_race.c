/* SPDX-License-Identifier: MIT */
/* A task that may be merged with its maker is a task all the same. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task mergeable
		x = 1;	// race: a
		x += 2; // race: b
	}
	return 0;
}
