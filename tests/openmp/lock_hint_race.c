/* SPDX-License-Identifier: MIT */
// threads: 2
// skip: gcc
/* A lock with a hint, and an access before it is taken. */
#include <omp.h>

static omp_lock_t lock;
int x;

int main(void)
{
	omp_init_lock_with_hint(&lock, omp_sync_hint_contended);
#pragma omp parallel
	{
		int seen = x; // race: a
		omp_set_lock(&lock);
		x += seen + 1; // race: b
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
	return 0;
}
