/* SPDX-License-Identifier: MIT */
// skip: gcc
/* A set of tasks without order among them; the next one comes after all. */
int x[2], seen;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(inoutset : x)
		x[0] = 1;
#pragma omp task depend(inoutset : x)
		x[1] = 2;
#pragma omp task depend(in : x)
		seen = x[0] + x[1];
	}
	return seen != 3;
}
