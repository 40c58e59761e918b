/* SPDX-License-Identifier: MIT */
// threads: 2
/* A temporary that should have been private. */
#include <omp.h>

static int out[64];

int main(void)
{
	int temporary;

#pragma omp parallel
	{
		temporary = omp_get_thread_num();      // race: a b
		out[omp_get_thread_num()] = temporary; // race: a b
	}
	return out[0];
}
