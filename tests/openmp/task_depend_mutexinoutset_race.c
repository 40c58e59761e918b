/* SPDX-License-Identifier: MIT */
/* Tasks that exclude each other, and one that only reads. */
int x, seen;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1; // race: a
#pragma omp task depend(mutexinoutset : x)
		x += 2; // race: a
#pragma omp task depend(mutexinoutset : x)
		x += 3; // race: a
#pragma omp task
		seen = x; // race: b
#pragma omp taskwait
	}
	return 0;
}
