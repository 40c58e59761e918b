/* SPDX-License-Identifier: MIT */
/* Tasks that exclude each other, and one that comes after all. */
int x, seen;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1;
#pragma omp task depend(mutexinoutset : x)
		x += 2;
#pragma omp task depend(mutexinoutset : x)
		x += 3;
#pragma omp task depend(in : x)
		seen = x;
#pragma omp taskwait
	}
	return seen != 6;
}
