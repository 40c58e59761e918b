/* SPDX-License-Identifier: MIT */
/* Untied tasks of many parts: one that makes tasks in a loop, those of a loop, and one that
 * is undeferred. All parts are run, once, in their order. */
#include <stdlib.h>

int made, rounds, parts;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task untied
		for (int i = 0; i < 500; i++) {
#pragma omp task untied
#pragma omp atomic
			made++;
		}
#pragma omp taskloop untied grainsize(4)
		for (int i = 0; i < 100; i++) {
#pragma omp taskyield
#pragma omp atomic
			rounds++;
		}
#pragma omp task untied if (0)
		{
			parts = parts * 2 + 1;
#pragma omp taskyield
			parts = parts * 2 + 1;
#pragma omp taskyield
			parts = parts * 2 + 1;
		}
	}
	if (made != 500 || rounds != 100 || parts != 7)
		abort();
	return 0;
}
