/* SPDX-License-Identifier: MIT */
/* Two tasks that take the same lock. */
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
			x++;
			omp_unset_lock(&lock);
		}
#pragma omp task
		{
			omp_set_lock(&lock);
			x += 2;
			omp_unset_lock(&lock);
		}
	}
	omp_destroy_lock(&lock);
	return 0;
}
