/* SPDX-License-Identifier: MIT */
// threads: 2
/* A local variable of who begins the region, and its address in each member. */
#include <omp.h>

int main(void)
{
	int local = 0;

#pragma omp parallel shared(local)
	local = omp_get_thread_num(); // race: a b
	return local < 0;
}
