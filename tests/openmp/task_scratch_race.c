/* SPDX-License-Identifier: MIT */
/* One buffer for the tasks of all threads. */
#include <stdlib.h>

int *scratch, out[64];

int main(void)
{
	scratch = calloc(16, sizeof *scratch);
#pragma omp parallel num_threads(4)
#pragma omp single
	for (int i = 0; i < 32; i++) {
#pragma omp task
		{
			scratch[3] = i; // race: a b
			out[i] = scratch[3]; // race: a
		}
	}
	free(scratch);
	return 0;
}
