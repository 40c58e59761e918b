/* SPDX-License-Identifier: MIT */
/* The dependence is kept in an object. */
#include <omp.h>

int x, seen;

int main(void)
{
	omp_depend_t object;

#pragma omp depobj(object) depend(inout : x)
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(depobj : object)
		x = 1;
#pragma omp task depend(depobj : object)
		seen = x;
	}
#pragma omp depobj(object) destroy
	return 0;
}
