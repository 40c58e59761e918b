/* SPDX-License-Identifier: MIT */
/* Each thread has a buffer of its own by its number, which its tasks use in turn. */
#include <omp.h>
#include <stdlib.h>

int *scratch, out[64];

int main(void)
{
	scratch = calloc(64 * 16, sizeof *scratch);
#pragma omp parallel num_threads(4)
#pragma omp single
	for (int i = 0; i < 32; i++) {
#pragma omp task
		{
			int *mine = scratch + omp_get_thread_num() * 16;

			for (int k = 0; k < 16; k++)
				mine[k] = i + k;
			out[i] = mine[7];
		}
	}
	free(scratch);
	return 0;
}
