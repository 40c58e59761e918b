/* SPDX-License-Identifier: MIT */
/* A local variable of who begins the region, and its address in each member. */
#include <omp.h>

int main(void)
{
	int local[64] = {0};

#pragma omp parallel shared(local)
	local[omp_get_thread_num()] = 1;
	return local[0] != 1;
}
