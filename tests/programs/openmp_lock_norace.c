/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* Locks of the OpenMP library, plain and nested. */
#include <omp.h>

static omp_lock_t plain;
static omp_nest_lock_t nested;
static int x, y;

int main(void)
{
	omp_init_lock(&plain);
	omp_init_nest_lock(&nested);
#pragma omp parallel num_threads(4)
	for (int i = 0; i < 50; i++) {
		if (i % 2)
			omp_set_lock(&plain);
		else
			while (!omp_test_lock(&plain))
				;
		x++;
		omp_unset_lock(&plain);
		omp_set_nest_lock(&nested);
		omp_set_nest_lock(&nested);
		y++;
		omp_unset_nest_lock(&nested);
		y++;
		omp_unset_nest_lock(&nested);
	}
	omp_destroy_lock(&plain);
	omp_destroy_nest_lock(&nested);
	return x != 200 || y != 400;
}
