/* SPDX-License-Identifier: MIT */
/* Tries until the count says that it is held. */
#include <omp.h>

static omp_nest_lock_t lock;
int x;

int main(void)
{
	omp_init_nest_lock(&lock);
#pragma omp parallel
	{
		while (!omp_test_nest_lock(&lock))
			;
		x++;
		omp_unset_nest_lock(&lock);
	}
	omp_destroy_nest_lock(&lock);
	return 0;
}
