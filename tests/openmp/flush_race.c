/* SPDX-License-Identifier: MIT */
// threads: 2
/* A flush with plain flags makes no order: the flag itself is a race. */
#include <omp.h>

int data, ready, seen;

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
			data = 1;
#pragma omp flush
			ready = 1; // race: a
		} else if (omp_get_thread_num() == 1) {
			int now = 0;
			now = ready; // race: b
#pragma omp flush
			seen = now;
		}
	}
	return seen < 0;
}
