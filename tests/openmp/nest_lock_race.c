/* SPDX-License-Identifier: MIT */
// threads: 2
/* Given back as often as taken: after that it is free. */
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
		x++; // race: a
		omp_unset_nest_lock(&lock);
		omp_unset_nest_lock(&lock);
		x++; // race: a b
	}
	omp_destroy_nest_lock(&lock);
	return 0;
}
