/* SPDX-License-Identifier: MIT */
/* Tries until it gets the lock. */
#include <omp.h>

static omp_lock_t lock;
int x;

int main(void)
{
	omp_init_lock(&lock);
#pragma omp parallel
	{
		while (!omp_test_lock(&lock))
			;
		x++;
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
	return 0;
}
