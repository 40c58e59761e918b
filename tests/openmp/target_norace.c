/* SPDX-License-Identifier: MIT */
/* A target region that runs on the host, with a region in it. */
#include <omp.h>

int main(void)
{
	int x = 0;

#pragma omp target map(tofrom : x)
	{
#pragma omp parallel
		{
#pragma omp atomic
			x++;
		}
	}
	return x < 1;
}
