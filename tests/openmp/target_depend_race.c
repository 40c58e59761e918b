/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* Within the target task the members of the team are in no order. */
#include <omp.h>

int x, seen;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp target nowait depend(out : x) map(tofrom : x)
		x = 1;
#pragma omp task depend(in : x)
		seen = x;
	}
#pragma omp target map(tofrom : x)
#pragma omp parallel
	x = 3; // race: a b
	return 0;
}
