/* SPDX-License-Identifier: MIT */
/* A flush before an atomic write, and one after the read that sees it. */
#include <omp.h>

int data, ready, seen;

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
			data = 1;
#pragma omp flush
#pragma omp atomic write
			ready = 1;
		} else if (omp_get_thread_num() == 1) {
			int now = 0;
			while (!now) {
#pragma omp atomic read
				now = ready;
			}
#pragma omp flush
			seen = data;
		}
	}
	return seen < 0;
}
