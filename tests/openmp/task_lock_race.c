/* SPDX-License-Identifier: MIT */
/* Two tasks, of which one does not take the lock. */
#include <omp.h>

static omp_lock_t lock;
int x;

int main(void)
{
	omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		{
			omp_set_lock(&lock);
			x++; // race: a
			omp_unset_lock(&lock);
		}
#pragma omp task
		{
			x += 2; // race: b
		}
	}
	omp_destroy_lock(&lock);
	return 0;
}
