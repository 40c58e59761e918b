/* SPDX-License-Identifier: MIT */
/* Taken twice, given back twice: held between. */
#include <omp.h>

static omp_nest_lock_t lock;
int x;

int main(void)
{
	omp_init_nest_lock(&lock);
#pragma omp parallel
	{
		omp_set_nest_lock(&lock);
		omp_set_nest_lock(&lock);
		x++;
		omp_unset_nest_lock(&lock);
		x++;
		omp_unset_nest_lock(&lock);
	}
	omp_destroy_nest_lock(&lock);
	return 0;
}
