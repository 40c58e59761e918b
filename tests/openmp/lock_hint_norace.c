/* SPDX-License-Identifier: MIT */
// skip: gcc
/* A lock with a hint. */
#include <omp.h>

static omp_lock_t lock;
int x;

int main(void)
{
	omp_init_lock_with_hint(&lock, omp_sync_hint_contended);
#pragma omp parallel
	{
		omp_set_lock(&lock);
		x++;
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
	return 0;
}
