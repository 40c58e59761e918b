/* SPDX-License-Identifier: MIT */
// skip: gcc
/* A set of tasks without order among them, two of which write the same. */
int x[2], seen;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(inoutset : x)
		x[0] = 1; // race: a
#pragma omp task depend(inoutset : x)
		x[0] = 2; // race: b
#pragma omp task depend(in : x)
		seen = x[0] + x[1];
	}
	return 0;
}
