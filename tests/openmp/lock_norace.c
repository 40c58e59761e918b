/* SPDX-License-Identifier: MIT */
/* One lock for one variable. */
#include <omp.h>

static omp_lock_t locks[2];
int x;

int main(void)
{
	omp_init_lock(&locks[0]);
	omp_init_lock(&locks[1]);
#pragma omp parallel
	{
		omp_lock_t *lock = &locks[0];
		omp_set_lock(lock);
		x++;
		omp_unset_lock(lock);
	}
	omp_destroy_lock(&locks[0]);
	omp_destroy_lock(&locks[1]);
	return 0;
}
