/* SPDX-License-Identifier: MIT */
// threads: 2
/* A region in a target region that runs on the host. */
#include <omp.h>

int main(void)
{
	int x = 0;

#pragma omp target map(tofrom : x)
	{
#pragma omp parallel
		{
			x++; // race: a b
		}
	}
	return x < 1;
}
