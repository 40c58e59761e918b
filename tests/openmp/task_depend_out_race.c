/* SPDX-License-Identifier: MIT */
/* The reader does not say that it depends on the writer. */
int x, seen;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1; // race: a
#pragma omp task
		seen = x; // race: b
	}
	return 0;
}
