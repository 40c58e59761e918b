/* SPDX-License-Identifier: MIT */
/* Who makes a task goes on without waiting for it. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x += 2; // race: a
		x = 1;	// race: b
	}
	return 0;
}
