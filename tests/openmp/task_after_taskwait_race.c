/* SPDX-License-Identifier: MIT */
/* What is made after the wait may run next to what goes on after it. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x = 1;
#pragma omp taskwait
#pragma omp task
		x = 2;	// race: a
		x += 3; // race: b
	}
	return 0;
}
