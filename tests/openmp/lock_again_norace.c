/* SPDX-License-Identifier: MIT */
/* A lock that is made anew at the same place. */
#include <omp.h>

static omp_lock_t lock;
int x;

int main(void)
{
	for (int round = 0; round < 2; round++) {
		omp_init_lock(&lock);
#pragma omp parallel
		{
			omp_set_lock(&lock);
			x++;
			omp_unset_lock(&lock);
		}
		omp_destroy_lock(&lock);
	}
	return 0;
}
