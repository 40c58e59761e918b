/* SPDX-License-Identifier: MIT */
// threads: 2
/* A lock that is made anew at the same place: what it guarded before is no matter. */
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
			x++; // race: a
			omp_unset_lock(&lock);
			x++; // race: a b
		}
		omp_destroy_lock(&lock);
	}
	return 0;
}
