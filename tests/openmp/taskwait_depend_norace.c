/* SPDX-License-Identifier: MIT */
/* Waits for the task that writes the first, and reads the first. */
int first, second, seen;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : first)
		first = 1;
#pragma omp task depend(out : second)
		second = 2;
#pragma omp taskwait depend(in : first)
		seen = first;
	}
	return seen != 1;
}
