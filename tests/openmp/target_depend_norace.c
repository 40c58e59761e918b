/* SPDX-License-Identifier: MIT */
/* A target task that runs on the host, and one that depends on it. */
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
	return seen != 1;
}
